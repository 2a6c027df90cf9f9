// Pictures made from names.

import assert from "node:assert/strict";
import { test } from "node:test";

import { COLOURS, portrait } from "../../../web/people/picture.js";

/** The relative luminance of a colour. @param {string} colour */
function luminance(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test("a name has the same picture each time", () => {
  assert.deepEqual(portrait("Nadia"), portrait("Nadia"));
  assert.deepEqual(portrait("Jose\u0301"), portrait("Jos\u00e9"), "however its letters are encoded");
});

test("names that look alike have different pictures", () => {
  const names = ["Omar", "Omer", "Amr", "Amro", "Nadia", "Nadja", "Layla", "Leila", "Sami", "Samy", "عمر", "عمرو", "ليلى", "لیلی"];
  const pictures = names.map((name) => {
    const { ground, path, turn } = portrait(name);
    return `${ground} ${path} ${turn}`;
  });
  assert.equal(new Set(pictures).size, names.length);
});

test("all colours and figures are used about equally often", () => {
  const pictures = Array.from({ length: 2000 }, (_, at) => portrait(`Player ${at}`));
  for (const colour of COLOURS.map(([ground]) => ground)) {
    const count = pictures.filter(({ ground }) => ground === colour).length;
    assert.ok(count > 150 && count < 250, `${colour}: ${count}`);
  }
  const figures = new Set(pictures.map(({ path }) => path));
  assert.equal(figures.size, 8);
  for (const figure of figures) {
    const count = pictures.filter(({ path }) => path === figure).length;
    assert.ok(count > 190 && count < 310, `${figure}: ${count}`);
  }
});

test("the initial is the first letter, in capitals, in every script", () => {
  assert.equal(portrait("omar").initial, "O");
  assert.equal(portrait("  «layla»").initial, "L");
  assert.equal(portrait("ليلى").initial, "ل");
  assert.equal(portrait("7up").initial, "7");
  assert.equal(portrait("\u{1f600}").initial, "\u{1f600}");
  assert.equal(portrait("").initial, "");
});

test("white letters are readable on all colours", () => {
  for (const colour of COLOURS.flat()) {
    const contrast = 1.05 / (luminance(colour) + 0.05);
    assert.ok(contrast >= 4.5, `${colour}: ${contrast.toFixed(2)}`);
  }
});
