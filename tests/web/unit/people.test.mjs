// Other players: what can be done about them, what they say, and what moderators did.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Talk } from "../../../web/game/talk.js";
import { loadLanguage } from "../../../web/i18n/index.js";
import { invitable } from "../../../web/people/invitations.js";
import { relate, relationOf } from "../../../web/people/relate.js";
import { inEffect } from "../../../web/people/standing.js";

await loadLanguage();

let requests = [];
let answer = () => new Response(null, { status: 204 });

globalThis.fetch = async (path, { method }) => {
  requests.push(`${method} ${path}`);
  return answer(path);
};

beforeEach(() => (requests = []));

const REACTIONS = [{ reaction: "thanks", text: "Thank you", symbol: null }, { reaction: "applause", text: "Applause", symbol: "👏" }];

test("a reaction is shown for some seconds, the newest of each seat", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  answer = () => Response.json({ items: REACTIONS });
  const talk = new Talk({ id: "g" });
  await talk.load();
  await talk.hear({ position: { seat: 2 }, reaction: "thanks" });
  await talk.hear({ position: { place: 1 }, reaction: "applause" });
  context.mock.timers.tick(3_000);
  await talk.hear({ position: { seat: 2 }, reaction: "of a newer server" });
  assert.deepEqual(talk.said.map(({ seat, text, symbol }) => [seat, text, symbol]), [[1, "Applause", "👏"], [2, "…", null]]);
  context.mock.timers.tick(1_000);
  assert.deepEqual(talk.said.map(({ seat }) => seat), [2]);
  context.mock.timers.tick(3_000);
  assert.deepEqual(talk.said, []);
  assert.equal(talk.last?.text, "…");
  assert.deepEqual(requests, ["GET /v1/reactions"]);
});

test("a reaction that comes too early is not sent again", async () => {
  const problem = { code: "too-many-requests", title: "Too many requests", detail: "", status: 429 };
  answer = () => Response.json(problem, { status: 429, headers: { "Retry-After": "3" } });
  await assert.rejects(new Talk({ id: "g" }).say("thanks"), { code: "too-many-requests" });
  assert.deepEqual(requests, ["POST /v1/games/g/reactions"]);
});

test("what can be done next follows from the lists", async () => {
  const line = (id) => ({ player: { id, name: id } });
  const people = { friends: [line("a")], received: [line("b")], sent: [line("c")], muted: [line("a")], blocked: [line("d")] };
  assert.deepEqual(relationOf(people, "a"), { friendship: "unfriend", isMuted: true, isBlocked: false });
  assert.equal(relationOf(people, "b").friendship, "accept");
  assert.equal(relationOf(people, "c").friendship, "withdraw");
  assert.deepEqual(relationOf(people, "d"), { friendship: "befriend", isMuted: false, isBlocked: true });
  answer = () => new Response(null, { status: 204 });
  await relate("befriend", "b", "ab12");
  await relate("decline", "b");
  await relate("unblock", "d");
  assert.deepEqual(requests, ["PUT /v1/me/friends/b?code=ab12", "DELETE /v1/me/friends/b", "DELETE /v1/me/blocks/d"]);
});

test("friends who are online are invited first, and nobody who sits there", () => {
  const friends = [["a", null], ["b", false], ["c", true], ["d", true]].map(([id, online]) => ({ player: { id, name: id }, online }));
  assert.deepEqual(invitable(friends, ["d", null]).map(({ player }) => player.id), ["c", "a", "b"]);
});

test("the newest act for each lost right is in effect, unless it ended", () => {
  const [past, future] = ["2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z"];
  const made = (acts) => acts.map(([act, until], id) => ({ id, act, until }));
  const ids = (standing) => inEffect(standing).map(({ id }) => id);
  const acts = made([["renamed", null], ["muted", future], ["suspended", future], ["banned", null], ["muted", future]]);
  assert.deepEqual(ids({ may_play: false, may_talk: false, acts }), [2, 1]);
  assert.deepEqual(ids({ may_play: true, may_talk: false, acts }), [1]);
  assert.deepEqual(ids({ may_play: true, may_talk: true, acts }), []);
  // A suspension mutes too; what ended before is not shown.
  for (const former of [[["muted", past]], [["lifted", null], ["muted", future]]]) {
    assert.deepEqual(ids({ may_play: false, may_talk: false, acts: made([["suspended", future], ...former]) }), [0]);
  }
});
