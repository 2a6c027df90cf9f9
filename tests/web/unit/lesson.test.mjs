// The recorded games of the first lessons: each can be played to its end, by the rules, in both languages.

import assert from "node:assert/strict";
import { test } from "node:test";

import { parse } from "../../../web/game/cards.js";
import { choiceName, Lesson } from "../../../web/learn/lesson.js";
import { Shown } from "../../../web/show/shown.js";
import { Clock } from "./clock.mjs";

const TEXTS = new URL("../../../web/learn/texts/", import.meta.url);
const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
const TRUMPS = { clubs: "C", diamonds: "D", hearts: "H", spades: "S" };

async function lessonOf(ruleset, language = "en") {
  const [recording, texts] = await Promise.all([import(`${TEXTS}games/${ruleset}.js`), import(`${TEXTS}${language}/lesson_${ruleset}.js`)]);
  return new Lesson(recording.default, texts.default);
}

function feed(lesson) {
  while (lesson.isBehind) lesson.feed();
}

/** Plays to the last step, and calls `look` at each of them. */
function play(lesson, look = () => {}) {
  feed(lesson);
  for (look(); !lesson.isLast; look()) {
    const { right } = lesson.step;
    if (right) lesson.send(right);
    else lesson.next();
    feed(lesson);
  }
}

for (const ruleset of ["plain", "nineteen"]) {
  test(`${ruleset}: at each choice the right command is legal, and nothing else goes on`, async () => {
    const lesson = await lessonOf(ruleset);
    let choices = 0;
    play(lesson, () => {
      const { right, wrong = {}, say } = lesson.step;
      if (!right) return assert.deepEqual(lesson.view.legal, [], say);
      choices += 1;
      const names = lesson.view.legal.map(choiceName);
      assert.ok(names.includes(choiceName(right)), say);
      lesson.next();
      for (const command of lesson.view.legal.filter((one) => choiceName(one) !== choiceName(right))) {
        lesson.send(command);
        assert.equal(lesson.step.say, say);
        assert.ok(lesson.comment, `${say}: ${choiceName(command)}`);
      }
      for (const name of Object.keys(wrong).filter((name) => name !== "other")) assert.ok(names.includes(name), `${say}: ${name}`);
    });
    assert.ok(choices >= 5);
    assert.deepEqual(lesson.events.map(({ seq }) => seq), lesson.events.map((_, index) => lesson.first.version + 1 + index));
    lesson.restart();
    assert.equal(lesson.view.version, lesson.first.version);
  });

  test(`${ruleset}: both languages have words for each step and each wrong choice, and for nothing else`, async () => {
    for (const language of ["en", "ar"]) {
      const { steps, texts } = await lessonOf(ruleset, language);
      const used = steps.flatMap(({ say, wrong = {} }) => [say, ...Object.values(wrong)]);
      assert.deepEqual(new Set(used), new Set(Object.keys(texts.says)), language);
      const words = Object.keys((await import(`${TEXTS}${language}/words.js`)).default);
      const opened = Object.values(texts.says).flatMap((text) => [...text.matchAll(/\{([\w.]+)\|/g)].map(([, word]) => word));
      assert.deepEqual(opened.filter((word) => !words.includes(word)), []);
    }
  });

  test(`${ruleset}: the recorded tricks and points are those of the rules`, async () => {
    const lesson = await lessonOf(ruleset);
    play(lesson);
    let trump = TRUMPS[lesson.first.round.trump];
    let plays = [];
    let taken = [0, 0, 0, 0];
    let hand = [...lesson.first.round.hands[0].cards];
    for (const { event } of lesson.events) {
      if (event.type === "round_dealt") [trump, hand, taken] = [TRUMPS[event.deal.trump], [...event.deal.hands[0].cards], [0, 0, 0, 0]];
      if (event.type === "auction_won") trump = TRUMPS[event.trump];
      if (event.type === "card_played") {
        const led = plays[0] && parse(plays[0].card).suit;
        if (event.seat === 0) {
          assert.ok(hand.includes(event.card));
          assert.ok(!led || parse(event.card).suit === led || hand.every((card) => parse(card).suit !== led), event.card);
          hand = hand.filter((card) => card !== event.card);
        }
        plays.push(event);
      }
      if (event.type === "trick_taken") {
        const led = parse(plays[0].card).suit;
        const worth = ({ card }) => RANKS.indexOf(parse(card).rank) + (parse(card).suit === trump ? 100 : parse(card).suit === led ? 50 : 0);
        assert.equal(event.seat, plays.reduce((best, one) => (worth(one) > worth(best) ? one : best)).seat);
        taken[event.seat] += 1;
        plays = [];
      }
      if (event.type === "round_scored") {
        const { calls, tricks, points, round } = event.score;
        assert.deepEqual(tricks, taken);
        const missed = (call, seat) => (ruleset === "plain" ? -Math.abs(call - taken[seat]) : round + Math.max(call, taken[seat]));
        const made = (call) => (ruleset === "plain" ? call : 0);
        assert.deepEqual(points, calls.map(({ tricks: call }, seat) => (call === taken[seat] ? made(call) : missed(call, seat))));
      }
    }
    assert.deepEqual(lesson.view.scores.totals, lesson.events.at(-1).event.score.totals);
  });
}

test("a card or a number that is not legal is refused with its reason", async () => {
  const lesson = await lessonOf("nineteen");
  const refused = {};
  const tried = { dealer: { type: "estimate", tricks: 0 }, follow: { type: "play", card: "AD" }, welcome: { type: "play", card: "7D" } };
  const checks = [];
  play(lesson, () => {
    const { say } = lesson.step;
    if (tried[say]) checks.push(lesson.check(tried[say]).then((found) => (refused[say] = found)));
    if (say === "lead") checks.push(lesson.check(lesson.step.right).then((found) => (refused.lead = found)));
  });
  await Promise.all(checks);
  assert.deepEqual(refused, {
    welcome: { code: "not-your-turn", members: {} },
    dealer: { code: "total-barred", members: { barred: 0, total: 1 } },
    follow: { code: "must-follow-suit", members: { led: "hearts" } },
    lead: null,
  });
});

test("a table shows each card of a first game, and each complete trick for a while", async () => {
  const [lesson, clock] = [await lessonOf("plain"), new Clock()];
  const shown = new Shown(lesson, clock, () => ({ speed: "normal", isReduced: false, isHidden: false }));
  const [cards, since, stood] = [new Set(), new Map(), []];
  lesson.subscribe(() => shown.update());
  shown.subscribe(() => {
    const { step } = shown;
    if (step?.kind === "card") cards.add(step.card);
    if (step?.kind === "trick" && !since.has(step.seq)) since.set(step.seq, clock.time);
    if (step?.kind === "trick" && shown.isSweeping) stood.push(clock.time - since.get(step.seq));
  });
  while (!lesson.isLast) {
    // As the page does.
    for (let beats = 0; beats < 100 && (lesson.isBehind || !shown.isPresent); beats += 1) {
      if (lesson.isBehind && shown.isPresent) lesson.feed();
      clock.move(200);
    }
    shown.continue();
    const { right } = lesson.step;
    if (right) lesson.send(right);
    else lesson.next();
  }
  assert.equal(cards.size, 52);
  assert.equal(stood.length, 13);
  assert.ok(stood.every((ms) => ms >= 1_000), stood.join());
});
