// Another game with the same players: at once against bots, by invitations with people.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { awaitRematch, playAgain } from "../../../web/game/tables.js";
import { firstView } from "./round.mjs";

/** @type {Record<string, unknown>} */
let answers = {};
let requests = [];

globalThis.fetch = async (path, { method }) => {
  requests.push(`${method} ${path}`);
  const answer = answers[`${method} ${path}`];
  if (answer instanceof Response) return answer;
  return answer ? Response.json(answer) : Response.json({ code: "not-found", title: "Not found", status: 404 }, { status: 404 });
};

beforeEach(() => {
  [answers, requests] = [{}, []];
});

const OVER = "2026-01-01T12:00:00Z";
const over = (kinds) => {
  const view = firstView({ status: "finished", updated_at: OVER });
  kinds.forEach((kind, seat) => (view.seats[seat].player.kind = kind));
  return view;
};
/** What `playAgain` uses of a game: the server opens the table, or refuses. */
function gameWith(table) {
  answers["POST /v1/games/g/rematch"] = table;
  return { act: (send) => send({ id: "g" }).catch(() => null) };
}

test("against bots the next game starts at once", async () => {
  const game = gameWith({ id: "next", status: "lobby" });
  answers["POST /v1/games/next/start"] = { id: "next", status: "playing" };
  assert.equal(await playAgain(game, over(["human", "bot", "bot"])), "next");
  assert.deepEqual(requests, ["POST /v1/games/g/rematch", "POST /v1/games/next/start"]);
});

test("with people, and at a table that has begun, nothing is started", async () => {
  assert.equal(await playAgain(gameWith({ id: "next", status: "lobby" }), over(["human", "human", "bot"])), "next");
  assert.equal(await playAgain(gameWith({ id: "next", status: "playing" }), over(["human", "bot", "bot"])), "next");
  assert.equal(await playAgain(gameWith(null), over(["human", "bot", "bot"])), null);
  assert.deepEqual(requests, Array(3).fill("POST /v1/games/g/rematch"));
});

/** Who invites, after the stream of the account told of a table. */
async function invitedBy(table) {
  const invited = `event: invited\ndata: ${JSON.stringify({ game: "next" })}\n\n`;
  answers["GET /v1/me/stream"] = new Response(`${invited}event: end\ndata: {}\n\n`);
  const next = { id: "next", status: "lobby", created_at: "2026-01-01T12:00:05Z", host: { id: "account-1", name: "Nadia" } };
  answers["GET /v1/games/next"] = { ...next, ...table };
  const hosts = [];
  await awaitRematch(over(["human", "human", "bot"]), new AbortController().signal, (host) => hosts.push(host));
  await new Promise((resolve) => setTimeout(resolve));
  return hosts;
}

test("the host of the rematch is told", async () => {
  assert.deepEqual(await invitedBy({}), ["Nadia"]);
});

test("other tables are not told: of strangers, opened before the end, or begun", async () => {
  assert.deepEqual(await invitedBy({ host: { id: "stranger", name: "Omar" } }), []);
  assert.deepEqual(await invitedBy({ created_at: "2026-01-01T11:00:00Z" }), []);
  assert.deepEqual(await invitedBy({ status: "playing" }), []);
});
