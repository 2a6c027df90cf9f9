// Two players at a table that another program has opened: `node table.js URL GAME NAME…`.

import { accepted, follow, Player, SignedIn, type StreamItem } from "estimation-client";

const [url, id, ...names] = process.argv.slice(2);
if (!url || !id || names.length === 0) throw new Error("usage: table.js URL GAME NAME…");
const params = { path: { id } };

const sessions = await Promise.all(names.map((name) => SignedIn.register(url, name, "plum-kettle-orbit")));
// One after the other, so that the last to sit down knows that the table is full.
for (const { client } of sessions) {
  const query = { status: "lobby", ruleset: "double-risk" } as const;
  const lobby = accepted(await client.GET("/v1/games", { params: { query } }));
  if (!lobby.items.some((table) => table.id === id)) throw new Error("the table is not in the lobby");
  accepted(await client.POST("/v1/games/{id}/seats", { params, body: {} }));
}

await Promise.all(
  sessions.map(async ({ client }, index) => {
    const heard = new Map<string, number>();
    const count = ({ event, reset }: StreamItem): void => {
      if (!event && !reset) return;
      const kind = event?.event.type ?? "reset";
      heard.set(kind, (heard.get(kind) ?? 0) + 1);
    };
    const player = new Player(client);
    let last = "0";
    // Stop once on the way, and resume.
    for await (const item of follow(client, id)) {
      await player.act(id);
      last = item.id;
      count(item);
      if (Number.parseInt(last) >= 40) break;
    }
    const view = await player.play(id, count, last);
    if (view.status !== "finished") throw new Error(`the game is ${view.status}`);
    if ((heard.get("round_scored") ?? 0) < 18) throw new Error("the stream left out a round");
    if (heard.get("game_finished") !== 1) throw new Error("the stream left out the end");
    const sum = [...heard.values()].reduce((total, times) => total + times, 0);
    if (sum !== view.version) throw new Error(`${sum} of ${view.version} events`);
    console.log(`${names[index]}: ${player.played} commands, totals ${view.scores.totals.join(" ")}`);
  }),
);
