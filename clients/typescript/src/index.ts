// What an app uses: the player, the stream of a game, and the types of the API.

export { choose, Player } from "./player.js";
export type { Choice } from "./player.js";
export { accepted, ProblemError } from "./problem.js";
export type { components, operations, paths } from "./schema.js";
export { SignedIn } from "./session.js";
export type { Session } from "./session.js";
export { follow } from "./stream.js";
export type { StreamItem } from "./stream.js";
