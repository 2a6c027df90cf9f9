// Why a card is not allowed, and hints: what is asked, and what is said for how long.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { canHint, hintWords, markOf } from "../../../web/table/hint.js";
import { Advice } from "../../../web/table/why.js";
import { loadLanguage } from "../../../web/i18n/index.js";

await loadLanguage();

/** @type {{ path: string, options: RequestInit }[]} */
let requests = [];
/** @type {() => Promise<Response> | Response} */
let answer = () => new Response(null, { status: 204 });

globalThis.fetch = async (path, options) => {
  requests.push({ path, options });
  return answer();
};

const refused = (code, detail = code) =>
  new Response(JSON.stringify({ code, status: 409, title: "No", detail }), { status: 409 });

function game(version = 7) {
  return { id: "g", view: { version, head: { seq: version, hash: "ab".repeat(32) } } };
}

const card = { type: "play", card: "9H" };

beforeEach(() => (requests = []));

test("a card that was tried is checked for the version that the page shows, and nothing is executed", async () => {
  answer = () => refused("wrong-thing", "Another reason.");
  const advice = new Advice(game());
  await advice.ask(card);
  assert.equal(advice.shown, "Another reason.");
  assert.equal(requests.length, 1);
  assert.equal(requests[0].path, "/v1/games/g/commands/check");
  assert.deepEqual(JSON.parse(requests[0].options.body), card);
  assert.equal(requests[0].options.headers.get("If-Match"), `"7.${"ab".repeat(8)}.${"ab".repeat(8)}"`);
});

test("a reason is shown while the game stays as it is", async () => {
  answer = () => refused("wrong-thing");
  const table = game();
  const advice = new Advice(table);
  await advice.ask(card);
  assert.notEqual(advice.shown, "");
  table.view = game(8).view;
  assert.equal(advice.shown, "");
});

test("nothing is said of a card that is allowed, and of a version that has passed", async () => {
  for (const reply of [() => new Response(null, { status: 204 }), () => refused("stale-version")]) {
    answer = reply;
    const advice = new Advice(game());
    await advice.ask(card);
    assert.equal(advice.shown, "");
  }
});

test("only the answer about the last card is shown", async () => {
  const advice = new Advice(game());
  /** @type {(response: Response) => void} */
  let answerFirst = () => {};
  answer = () => new Promise((resolve) => (answerFirst = resolve));
  const first = advice.ask(card);
  // The request leaves when the access token is known.
  while (requests.length === 0) await new Promise(setImmediate);
  answer = () => refused("second");
  await advice.ask(card);
  answerFirst(refused("first"));
  await first;
  assert.equal(advice.shown, "second");
});

test("hints are for the turn of a person with bots alone", () => {
  const [person, bot] = ["human", "bot"].map((kind) => ({ player: { kind } }));
  const view = { status: "playing", seats: [person, bot, bot], legal: [card] };
  assert.ok(canHint(view));
  assert.ok(!canHint({ ...view, legal: [] }));
  assert.ok(!canHint({ ...view, legal: [{ type: "resume" }] }));
  assert.ok(!canHint({ ...view, status: "finished" }));
  assert.ok(!canHint({ ...view, seats: [person, bot, person] }));
});

test("every command has words and a mark", () => {
  const commands = [
    card, { type: "bid", tricks: 5, trump: "spades" }, { type: "estimate", tricks: 3 }, { type: "pass" }, { type: "dash_call" },
    { type: "estimate", tricks: 8, trump: "no_trump" }, { type: "cut", position: 20 }, { type: "choose_seat", seat: 2 },
    { type: "enter_auction" }, { type: "avoid" }, { type: "redeal" }, { type: "blind_dash" },
  ];
  const words = commands.map(hintWords);
  assert.equal(new Set(words).size, commands.length);
  for (const text of words) assert.match(text, /^A bot would [^{}]+\.$/);
  assert.equal(words[0], "A bot would play: Nine of hearts.");
  assert.equal(markOf(card), String.raw`[data-command="{\"type\":\"play\",\"card\":\"9H\"}"]`);
});
