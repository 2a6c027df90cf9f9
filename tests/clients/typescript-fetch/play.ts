// Plays a whole game against itself: `node play.js URL RULESET`. Then it reads the game back: scores, events, the
// list and a problem.

import {
  KnownRulesetId,
  ProblemFromJSON,
  RequestedOptionsLengthEnum,
  ResponseError,
} from "../client/index.js";
import { Player } from "./player.js";

const [url, name] = process.argv.slice(2);
const ruleset = Object.values(KnownRulesetId).find((known) => known === name);
if (!url || !ruleset) throw new Error("usage: play.js URL RULESET");

const nineteen = ruleset === KnownRulesetId.Nineteen;
const options = nineteen ? {} : { length: RequestedOptionsLengthEnum.Micro };
const guests = Array.from({ length: nineteen ? 2 : 4 }, () => Player.guest(url));
const [host, ...others] = await Promise.all(guests);
if (!host) throw new Error("no players");

const createGameRequest = { ruleset, options, players: guests.length };
const { id } = await host.games.createGame({ createGameRequest });
for (const player of others) await player.games.joinGame({ id, joinRequest: {} });
let view = await host.games.startGame({ id });
for (let turn = 0; view.status !== "finished"; turn++) {
  if (turn > 10_000) throw new Error(`the game is ${view.status}`);
  const seats = [host, ...others];
  view = await (seats[turn % seats.length] ?? host).act(id);
}
await readBack(host);
const commands = [host, ...others].reduce((sum, player) => sum + player.played, 0);
console.log(`${ruleset}: ${commands} commands, totals ${view.scores.totals.join(" ")}`);

/** Reads what an app shows after a game, and checks that each answer is complete. */
async function readBack(player: Player): Promise<void> {
  const sheet = await player.play.getScores({ id });
  const seats = sheet.rounds[0]?.seats.length;
  if (sheet.status !== "finished" || seats !== sheet.totals.length) throw new Error("the score sheet is incomplete");
  const events = await player.play.listEvents({ id });
  if (events.items[0]?.event.type !== "game_created") throw new Error("the first event is not game_created");
  const list = await player.games.listGames({ mine: true });
  if (list.items[0]?.id !== id) throw new Error("the list does not have the game");
  const refused = await player.games.startGame({ id }).catch((error: unknown) => error);
  if (!(refused instanceof ResponseError)) throw new Error("a second start was not refused");
  const problem = ProblemFromJSON(await refused.response.json());
  if (!problem.code) throw new Error("the problem was not decoded");
}
