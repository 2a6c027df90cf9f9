// What is said aloud and listed: nothing is lost, and nothing is said twice.

import assert from "node:assert/strict";
import { test } from "node:test";

import { cardName } from "../../../web/game/cards.js";
import { namesOf } from "../../../web/game/seats.js";
import { loadArea, loadLanguage, setLanguage } from "../../../web/i18n/index.js";
import { Source } from "../../../web/source.js";
import { Voice } from "../../../web/table/announcer.js";
import { QUESTIONS } from "../../../web/table/answers.js";
import { words } from "../../../web/table/log.js";
import { card, envelopes, firstView, HANDS, ROUND, SCORED, taken } from "./round.mjs";

await loadLanguage();
await Promise.all([loadArea("shell"), loadArea("table")]);

/** Without the marks around names. */
const plain = (text) => text.replace(/[\u2068\u2069]/g, "");

/** What `Voice` reads of a table. */
class Shown extends Source {
  view = firstView();
  seq = 10;
  legal = [];
  game = { events: [] };

  /** Events that the table shows, and then the turn. */
  show(events, { legal = [], ...changes } = {}) {
    this.game.events = [...this.game.events, ...envelopes(events, this.seq + 1)];
    this.seq += events.length;
    this.legal = legal;
    this.view = firstView({ ...this.view, version: this.seq, ...changes });
    this.changed();
  }
}

function newVoice() {
  const shown = new Shown();
  const voice = new Voice(shown);
  voice.follow();
  return { shown, voice, said: () => voice.said.map(({ text }) => plain(text)) };
}

test("a trick is one sentence, with its cards in order and its winner", () => {
  const { shown, said } = newVoice();
  for (const event of ROUND.slice(0, 4)) shown.show([event]);
  assert.deepEqual(said(), ["You: Ace of spades, Nadia: King of spades, Layla: Queen of spades. You take the trick."]);
});

test("the cards before the own turn are told with it, and not again", () => {
  const { shown, said } = newVoice();
  shown.show([card(1, "KS"), card(2, "QS")], { legal: [{ type: "play", card: "AS" }] });
  shown.show([card(0, "AS"), taken(0)]);
  assert.deepEqual(said(), [
    "Nadia: King of spades, Layla: Queen of spades.",
    "Your turn: play a card.",
    "You: Ace of spades. You take the trick.",
  ]);
});

test("every card is said exactly once, in one burst or one by one", () => {
  for (const bursts of [[ROUND], ROUND.map((event) => [event])]) {
    const { shown, said } = newVoice();
    for (const events of bursts) shown.show(events);
    const text = said().join(" ");
    for (const name of HANDS.flat().map(cardName)) assert.equal(text.split(name).length, 2, name);
    assert.equal(text.match(/trick\./g).length, 2);
  }
});

test("the result of a round has the points and the totals", () => {
  const { shown, said } = newVoice();
  shown.show([SCORED]);
  assert.deepEqual(said(), ["Round 1: You 12, total 12; Nadia 10, total 10; Layla -3, total -3."]);
});

test("a burst is on the page in full, and later only the newest sentences stay", () => {
  const { shown, voice, said } = newVoice();
  const burst = Array.from({ length: 100 }, (_, at) => ({ type: "passed", seat: at % 3 }));
  shown.show(burst);
  assert.equal(said().length, 100);
  voice.forget();
  assert.equal(said().length, 40);
  assert.equal(new Set(voice.said.map(({ id }) => id)).size, 40);
});

test("the turn is told once for each version", () => {
  const { shown, said } = newVoice();
  const legal = [{ type: "play", card: "AS" }];
  shown.show([], { legal });
  shown.changed();
  assert.deepEqual(said(), ["Your turn: play a card."]);
});

test("after an earlier state of the server the voice begins again", () => {
  const { shown, said } = newVoice();
  shown.show([card(0, "AS")]);
  [shown.seq, shown.game.events] = [5, []];
  shown.changed();
  shown.show([{ type: "passed", seat: 1 }]);
  assert.deepEqual(said(), ["Nadia passes."]);
});

test("cards of a trick whose end is missing are not told with those of another one", () => {
  const { shown, said } = newVoice();
  shown.show([card(0, "AS")]);
  shown.seq += 10;
  shown.show([card(1, "3H"), taken(1)]);
  assert.deepEqual(said(), ["You: Ace of spades.", "Nadia: Three of hearts. Nadia takes the trick."]);
});

test("every kind of event has words, or is told by another one", () => {
  const names = namesOf(firstView());
  const silent = ["game_created", "host_changed", "auction_won", "seed_committed", "seed_opened", "turn_timed_out"];
  const kinds = [
    "game_created", "player_joined", "player_left", "bot_seated", "host_changed", "seed_committed", "opening_began", "seed_opened",
    "opening_failed", "game_started", "seats_drawn", "seat_chosen", "deck_cut", "round_dealt", "avoid_declared", "redeal_called",
    "blind_dashed", "auction_entered", "bid_made", "passed", "dash_called", "auction_won", "auction_void", "round_folded", "estimate_made",
    "trump_changed", "play_began", "card_played", "trick_taken", "revoked", "turn_timed_out", "stand_in_began", "stand_in_ended",
    "player_forfeited", "round_scored", "game_finished", "game_abandoned",
  ];
  for (const type of kinds) {
    const [envelope] = envelopes([{ type, seat: 1 }]);
    assert.equal(words(envelope, names) === null, silent.includes(type), type);
  }
});

test("everything on the table can be asked for", () => {
  const view = firstView();
  const ask = (name, at = view, legal = []) => plain(QUESTIONS.find((one) => one.name === name).answer({ legal }, at));
  assert.equal(ask("hand"), "Your cards. spades: Ace; hearts: Two.");
  assert.equal(ask("playable", view, [{ type: "play", card: "2H" }]), "You may play: Two of hearts.");
  assert.equal(ask("playable"), "It is not your turn to play a card.");
  assert.equal(ask("trick"), "No card lies on the table.");
  assert.equal(ask("lastTrick"), "There was no trick yet.");
  assert.equal(ask("calls"), "You said 2, has 0; Nadia said 0, has 0; Layla said 0 Risk, has 0.");
  assert.equal(ask("scores"), "Scores: You 0, Nadia 0, Layla 0.");
  assert.equal(ask("round"), "Round 1 of 2. Trump: ♥ hearts. Layla dealt.");
  assert.equal(ask("turn"), "It is your turn.");
  const plays = [{ seat: 1, card: "KS" }, { seat: 2, card: "QS" }];
  const [trick, last_trick] = [{ leader: 1, plays }, { leader: 2, plays }];
  const later = firstView({ round: { ...view.round, trick, last_trick, tricks_taken: null } });
  assert.equal(ask("trick", later), "On the table: Nadia: King of spades, Layla: Queen of spades.");
  assert.equal(ask("lastTrick", later), "The last trick: Nadia: King of spades, Layla: Queen of spades. Nadia took it.");
  assert.equal(ask("calls", later), "You said 2; Nadia said 0; Layla said 0 Risk.");
});

test("each question has a key of its own", () => {
  // N shows all that is waiting.
  assert.equal(new Set([...QUESTIONS.map(({ letter }) => letter), "N"]).size, QUESTIONS.length + 1);
});

test("the sentences are in Arabic too", async () => {
  await setLanguage("ar");
  const { shown, said } = newVoice();
  shown.show(ROUND.slice(0, 4));
  assert.deepEqual(said(), ["أنت: آس بستوني، Nadia: شايب بستوني، Layla: بنت بستوني. تأخذ أنت اللمة."]);
  await setLanguage("en");
});
