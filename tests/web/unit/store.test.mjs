// How a game of the page follows the messages of its stream and its own requests. The server is a list of answers.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { session } from "../../../web/api/session.js";
import { Game } from "../../../web/game/store.js";
import { card, envelopes, firstView } from "./round.mjs";

/** What the server answers, by request; the functions are called each time. @type {Record<string, () => Response | Promise<Response>>} */
let answers = {};
let requests = [];

globalThis.fetch = async (path, { method }) => {
  requests.push(`${method} ${path}`);
  return answers[`${method} ${path}`]?.() ?? Response.json({ code: "not-found", title: "Not found", status: 404 }, { status: 404 });
};

const VIEW = "GET /v1/games/game";
/** A view of somebody who watches: nothing of it is kept for later. */
const watched = (changes = {}) => firstView({ you: null, ...changes });
const at = (version, changes = {}) => watched({ version, head: { seq: version, hash: `h${version}` }, ...changes });
const turnAt = (version) => ({ version, awaited: [{ seat: 1 }], stand_ins: [], connected: [0] });
const loads = () => requests.filter((request) => request === VIEW).length;

/** A loaded game, at version 10. */
async function loadedGame() {
  const game = new Game("game");
  answers[VIEW] = () => Response.json(watched());
  await game.load();
  requests = [];
  return game;
}

/** Waits until all that was begun has ended. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

beforeEach(() => {
  session.account = { id: "watcher" };
  [answers, requests] = [{}, []];
});

test("a turn makes the next view from the events before it", async () => {
  const game = await loadedGame();
  const [event] = envelopes([card(0, "AS")]);
  game.take("message", event);
  assert.equal(game.view.version, 10);
  game.take("turn", turnAt(11));
  assert.deepEqual([game.view.version, game.view.round.trick.plays, game.view.round.to_act], [11, [{ seat: 0, card: "AS" }], { seat: 1 }]);
  assert.equal(loads(), 0);
});

test("a turn can be part of the last event", async () => {
  const game = await loadedGame();
  const [event] = envelopes([card(0, "AS")]);
  game.take("message", { ...event, turn: turnAt(11) });
  assert.equal(game.view.version, 11);
});

test("if events are missing, the view is loaded", async () => {
  const game = await loadedGame();
  answers[VIEW] = () => Response.json(at(12));
  game.take("message", envelopes([card(1, "KS")], 12)[0]);
  game.take("turn", turnAt(12));
  await settle();
  assert.deepEqual([game.view.version, loads()], [12, 1]);
});

test("a turn during a load leads to one more load, not to a view that skips events", async () => {
  const game = await loadedGame();
  const slow = deferred();
  answers[VIEW] = () => slow.promise;
  const loading = game.load();
  await settle();
  for (const event of envelopes([card(0, "AS"), card(1, "KS")])) game.take("message", event);
  game.take("turn", turnAt(11));
  game.take("turn", turnAt(12));
  assert.equal(game.view.version, 10);
  answers[VIEW] = () => Response.json(at(12));
  slow.resolve(Response.json(at(11)));
  await loading;
  assert.deepEqual([game.view.version, loads()], [12, 2]);
});

test("a reset drops the events and the command, and loads the earlier state", async () => {
  const game = await loadedGame();
  for (const event of envelopes([card(0, "AS")])) game.take("message", event);
  game.sent = { command: { type: "play", card: "AS" }, version: 10 };
  answers[VIEW] = () => Response.json(at(7));
  game.take("reset", turnAt(7));
  assert.deepEqual([game.events, game.pending], [[], null]);
  await settle();
  assert.deepEqual([game.view.version, loads()], [7, 1]);
});

test("the end while the page was away is loaded, because no turn follows", async () => {
  const event = `data: ${JSON.stringify(envelopes([{ type: "game_finished" }])[0])}\n\n`;
  answers["GET /v1/games/game/stream"] = () => new Response(`id: 11-h11\n${event}event: end\ndata: {}\n\n`);
  const views = [watched(), at(11, { status: "finished", round: null })];
  answers[VIEW] = () => Response.json(views.shift());
  const game = new Game("game");
  await game.open();
  await settle();
  assert.deepEqual([game.state, game.view.status, loads()], ["ended", "finished", 2]);
});

test("the end of a stream that missed nothing loads nothing", async () => {
  answers["GET /v1/games/game/stream"] = () => new Response("event: end\ndata: {}\n\n");
  answers[VIEW] = () => Response.json(watched());
  const game = new Game("game");
  await game.open();
  await settle();
  assert.deepEqual([game.state, loads()], ["ended", 1]);
});

test("a command is pending until the next version, and a refused one is not", async () => {
  const game = await loadedGame();
  const command = { type: "play", card: "AS" };
  const answer = deferred();
  answers["POST /v1/games/game/commands"] = () => answer.promise;
  const sending = game.send(command);
  assert.equal(game.pending, command);
  // A second one waits for nothing: it is not sent.
  await game.send({ type: "play", card: "2H" });
  answer.resolve(Response.json({ code: "illegal-card", title: "No", status: 409 }, { status: 409 }));
  await sending;
  assert.deepEqual([game.pending, game.error.code, game.view.version], [null, "illegal-card", 10]);
  assert.deepEqual(requests, ["POST /v1/games/game/commands", VIEW]);
});

test("a command that the stream does not bring is loaded", async () => {
  const game = await loadedGame();
  answers["POST /v1/games/game/commands"] = () => Response.json({ version: 11 });
  answers[VIEW] = () => Response.json(at(11));
  await game.send({ type: "play", card: "AS" });
  assert.deepEqual([game.view.version, game.pending], [11, null]);
});

/** A promise that the test resolves. */
function deferred() {
  let resolve;
  const promise = new Promise((give) => (resolve = give));
  return { promise, resolve };
}
