// A recorded game of four, with its stream: each trick lies complete, nobody waits, and every card is said.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { session } from "../../../web/api/session.js";
import { cardName } from "../../../web/game/cards.js";
import { Game } from "../../../web/game/store.js";
import { loadArea, loadLanguage } from "../../../web/i18n/index.js";
import { Shown } from "../../../web/show/shown.js";
import { Voice } from "../../../web/table/announcer.js";
import { Clock } from "./clock.mjs";

await loadLanguage();
await Promise.all([loadArea("shell"), loadArea("table")]);

const { account, view, frames } = JSON.parse(readFileSync(new URL("fixtures/squares.json", import.meta.url)));
const own = view.you.seat;
const eventsOf = (type) => frames.flatMap(([, { event }]) => (event?.type === type ? [event] : []));

/** What the player does after a frame: the command whose event comes next. */
function nextCommand(from) {
  const event = frames.slice(from).map(([, data]) => data.event).find((one) => one?.seat === own);
  return event?.type === "card_played" ? { type: "play", card: event.card } : { type: "pass" };
}

/** A game whose views come from the recorded stream alone. */
class RecordedGame extends Game {
  show(next) {
    this.view = next;
    this.changed();
  }

  load() {
    assert.fail("the recorded stream lacks nothing");
  }
}

/** Plays the recorded game, and returns what the table showed. `wait` is how long the server thinks before each frame. */
function watch(wait, pace) {
  session.account = { id: account };
  const [game, clock] = [new RecordedGame(view.id), new Clock()];
  game.show(structuredClone(view));
  const shown = new Shown(game, clock, () => ({ speed: "normal", isReduced: false, isHidden: false, ...pace }));
  const voice = new Voice(shown);
  shown.follow();
  voice.follow();
  const seen = { standing: [], waits: [], sheets: [], cards: [], voice, shown, game };
  let [since, trick] = [0, ""];
  shown.subscribe(() => {
    const plays = shown.view.round?.trick?.plays ?? [];
    const complete = plays.length === view.players ? plays.map(({ card }) => card).join(" ") : "";
    if (trick && complete !== trick) seen.standing.push(clock.time - since);
    if (complete !== trick) since = clock.time;
    trick = complete;
    if (shown.step?.kind === "card" && seen.cards.at(-1) !== shown.step.card) seen.cards.push(shown.step.card);
    if (shown.round && seen.sheets.at(-1) !== shown.round.score.round) seen.sheets.push(shown.round.score.round);
  });
  for (const [at, [name, data]] of frames.entries()) {
    clock.move(wait);
    game.take(name, structuredClone(data));
    if (shown.isHeld) shown.continue();
    if (game.view.legal.length === 0 || game.view.version < (data.seq ?? 0)) continue;
    const begun = clock.time;
    while (shown.legal.length === 0) clock.move(10);
    seen.waits.push(clock.time - begun);
    game.sent = { command: nextCommand(at + 1), version: game.view.version };
    game.changed();
    const isCard = game.sent.command.type === "play";
    if (isCard && at < frames.length - 1) assert.ok(shown.view.round.trick.plays.some(({ card }) => card === game.sent.command.card));
  }
  clock.move(600_000);
  return seen;
}

for (const [name, wait] of [["at once", 0], ["after a while", 900]]) {
  test(`bots that answer ${name}: each trick lies complete for 1 s, and the player waits for at most 3 s`, () => {
    const { standing, waits, cards, sheets, shown, game } = watch(wait);
    assert.equal(standing.length, eventsOf("trick_taken").length);
    assert.ok(Math.min(...standing) >= 1_000, `a trick lay for ${Math.min(...standing)} ms`);
    assert.ok(Math.max(...waits) <= 3_000, `the player waited for ${Math.max(...waits)} ms`);
    assert.deepEqual(cards, eventsOf("card_played").map(({ card }) => card));
    assert.deepEqual(sheets, eventsOf("round_scored").map(({ score }) => score.round));
    assert.equal(shown.view.version, game.view.version);
  });
}

test("every card and every trick is said once", () => {
  const { voice } = watch(0);
  const text = voice.said.map((one) => one.text).join(" ");
  const count = (words) => text.split(words).length - 1;
  const rounds = eventsOf("round_scored").length;
  for (const { card } of eventsOf("card_played").slice(0, 4)) assert.equal(count(cardName(card)), rounds, card);
  const said = eventsOf("card_played").map(({ card }) => cardName(card));
  const all = new Set(said);
  assert.equal([...all].reduce((sum, one) => sum + count(one), 0), said.length);
  assert.equal(count("the trick."), eventsOf("trick_taken").length);
});

test("a hidden page stays at the present, and says every card all the same", () => {
  const { voice, shown, game, standing } = watch(0, { isHidden: true });
  assert.equal(shown.view.version, game.view.version);
  assert.ok(standing.every((ms) => ms === 0));
  const text = voice.said.map((one) => one.text).join(" ");
  assert.equal(text.split("the trick.").length - 1, eventsOf("trick_taken").length);
});
