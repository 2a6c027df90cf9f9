// What an app uses: the player with its seeds and proofs, the stream of a game, and the types of the API.

export { advance, resumeId } from "./advance.js";
export { compare, Comparison } from "./comparison.js";
export type { Check, Kept, OwnSeed } from "./comparison.js";
export { Keeper } from "./keeper.js";
export { choose, Player } from "./player.js";
export type { Choice } from "./player.js";
export { accepted, ProblemError } from "./problem.js";
export type { components, operations, paths } from "./schema.js";
export { SignedIn } from "./session.js";
export type { Session } from "./session.js";
export { MemoryStore } from "./store.js";
export type { Store } from "./store.js";
export { follow } from "./stream.js";
export type { StreamItem } from "./stream.js";
