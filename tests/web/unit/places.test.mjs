// Where everything lies on the felt.

import assert from "node:assert/strict";
import { test } from "node:test";

import { fanOf, leanOf, middleOf, placesOf, restOf } from "../../../web/table/places.js";

const SIZES = [[320, 568], [360, 740], [390, 844], [844, 390], [640, 400], [568, 320], [768, 1024], [1280, 800], [1920, 1080], [3840, 2160]];

/** Every size with every number of players: hands of ten for `nineteen`, of thirteen for four players. */
function* felts() {
  for (const [width, height] of SIZES) {
    const rem = Math.max(16, Math.min(32, 8 + width * 0.005));
    for (const players of [2, 3, 4, 5]) {
      for (const slots of players === 4 ? [10, 13] : [10]) {
        for (const isSeated of [true, false]) yield { width, height, rem, players, slots, isSeated };
      }
    }
  }
}

const isWithin = (box, { width, height }) => box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height;
const isApart = (one, other) => one.x + one.width <= other.x + 0.5 || other.x + other.width <= one.x + 0.5 || one.y + one.height <= other.y + 0.5 || other.y + other.height <= one.y + 0.5;

/** The box around a card that lies at an angle. */
function around({ x, y, angle }, card, from) {
  const [height, turn] = [card * 1.4, (Math.abs(angle) * Math.PI) / 180];
  const size = { width: card * Math.cos(turn) + height * Math.sin(turn), height: card * Math.sin(turn) + height * Math.cos(turn) };
  return { ...size, x: from.x + x + card / 2 - size.width / 2, y: from.y + y + height / 2 - size.height / 2 };
}

for (const felt of felts()) {
  const { width, height, players, slots, isSeated } = felt;
  test(`${width} × ${height}, ${players} players, ${slots} cards${isSeated ? "" : ", watched"}`, () => {
    const places = placesOf(felt);
    const { hand, own, others, panel, card, isStacked } = places;
    const boxes = [own, ...others, ...(isSeated ? [hand] : [])];
    assert.equal(others.length, players - 1);
    for (const box of boxes) assert.ok(isWithin(box, felt), `${JSON.stringify(box)} is on the screen`);
    for (const [index, one] of boxes.entries()) {
      for (const other of boxes.slice(index + 1)) assert.ok(isApart(one, other), `${JSON.stringify([one, other])} do not overlap`);
    }
    assert.ok(isApart(panel, hand) && isApart(panel, own), "calls lie beside the hand");
    // An auction of thirteen cards has up to ten numbers, five suits and two buttons. What others said stays in sight.
    const besides = others.filter((seat) => seat.x < panel.x + panel.width && panel.x < seat.x + seat.width);
    const free = panel.y + panel.height - Math.max(panel.y, ...besides.map((seat) => seat.y + seat.height));
    assert.ok(height < 360 || free >= (slots > 10 ? 136 : 96), `calls have ${free} px`);
    for (let count = 1; count <= slots && isSeated; count += 1) {
      const fan = fanOf(places, count);
      for (const [index, place] of fan.entries()) {
        assert.ok(isWithin(around(place, card, hand), felt), `card ${index} of ${count} is on the screen: ${JSON.stringify(around(place, card, hand))}`);
        const next = fan[index + 1];
        if (next && (!isStacked || next.y === place.y)) assert.ok(next.x - place.x >= 24, `${next.x - place.x} px of card ${index} of ${count} are uncovered`);
      }
      assert.ok(isStacked || fan.every(({ y }) => y + card * 1.4 <= hand.height));
    }
    for (const seat of [isSeated ? hand : own, ...others]) {
      const rest = restOf(places, middleOf(seat));
      const thrown = around({ x: rest.x - places.thrown / 2, y: rest.y - places.thrown * 0.7, angle: 6 }, places.thrown, places.centre);
      assert.ok(isWithin(thrown, felt) && (!isSeated || isApart(thrown, hand)), `${JSON.stringify(thrown)} is free`);
    }
  });
}

test("a card lies at the same angle each time", () => {
  for (const card of ["2C", "10H", "AS", "RJ"]) {
    assert.equal(leanOf(card), leanOf(card));
    assert.ok(Math.abs(leanOf(card)) >= 3 && Math.abs(leanOf(card)) <= 6);
  }
});
