// Two TypeScript players at a table that somebody else has opened: `node play.js URL GAME NAME NAME`.

import { Player } from "./player.js";

const [url, game, ...names] = process.argv.slice(2);
if (!url || !game || names.length === 0) throw new Error("usage: play.js URL GAME NAME…");

const players = await Promise.all(names.map((name) => Player.register(url, name)));
// One after the other, so that the last to sit down knows that the table is full.
for (const player of players) await player.sitDown(game);
await Promise.all(players.map((player) => player.play(game)));

for (const player of players) {
  const view = await player.view(game);
  if (view.status !== "finished") throw new Error(`the game is ${view.status}`);
  if ((player.heard.get("round_scored") ?? 0) < 18) throw new Error("the stream left out a round");
  if (player.heard.get("game_finished") !== 1) throw new Error("the stream left out the end");
  if (player.played < 18) throw new Error(`${player.name} hardly played`);
  console.log(`${player.name}: ${player.played} commands, totals ${view.scores.totals.join(" ")}`);
}
