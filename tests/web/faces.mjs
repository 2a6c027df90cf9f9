// The faces of the cards: all differ, and rank and suit can be read at each size, with four and with two colours of the
// suits, and in forced colours. `node faces.mjs URL`.

import assert from "node:assert/strict";

import { device, finish, url } from "./browser.mjs";

const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const CARDS = [...[..."SHDC"].flatMap((suit) => RANKS.map((rank) => rank + suit)), "RJ", "BJ"];
/** A card in a hand on a phone, on a desktop, and as large as it gets. */
const WIDTHS = [60, 104, 200];
/** What a fanned card shows of itself at least, and how high its rank is. */
const UNCOVERED = 24;
const RANK = 15;

/** Opens a page, and replaces what it shows by all cards. */
async function show(page, width, suits) {
  await page.goto(`${url}/calculator`);
  await page.locator("main h1").waitFor();
  await page.evaluate(async ([cards, width, suits]) => {
    const [folder] = /^.*\/web\/[^/]+\//.exec(document.querySelector("script[type=module]").src);
    const { Back, Card } = await import(`${folder}cards/card.js`);
    const { html, render } = await import(`${folder}view.js`);
    const { loadStyle } = await import(`${folder}view.js`);
    await Promise.all([loadStyle("cards")]);
    document.documentElement.dataset.suits = suits;
    document.body.replaceChildren();
    render(html`<main style=${{ "--card": `${width}px`, maxInlineSize: "none" }}>
      ${cards.map((card) => html`<${Card} card=${card} />`)}<${Back} /></main>`, document.body);
  }, [CARDS, width, suits]);
}

/** The places and colours on each card. */
function measured(page) {
  return page.locator("[role=img].card").evaluateAll((cards) => cards.map((card) => {
    const place = card.getBoundingClientRect();
    const index = card.querySelector(".index");
    const sign = card.querySelector(".index .pip, .index .hollow");
    const { left, top, height, right } = index.getBoundingClientRect();
    const { fill, stroke } = getComputedStyle(sign);
    return {
      name: card.getAttribute("aria-label"), ratio: place.height / place.width,
      left: left - place.left, top: top - place.top, right: right - place.left, rank: (height * 28) / 54,
      colour: fill === "none" ? stroke : fill, paper: getComputedStyle(card).backgroundColor,
    };
  }));
}

/** @param {string} colour as `rgb(…)` */
function luminance(colour) {
  const [red, green, blue] = colour.match(/[\d.]+/g).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Fails if two cards look the same. */
async function differ(page, what) {
  const faces = new Map();
  for (const [at, card] of [...CARDS, "back"].entries()) {
    const face = (await page.locator(".card").nth(at).screenshot()).toString("base64");
    assert.ok(!faces.has(face), `${what}: ${card} looks like ${faces.get(face)}`);
    faces.set(face, card);
  }
}

const page = await device({ viewport: { width: 1280, height: 1000 } });
for (const [suits, colours] of [["four", 4], ["two", 2]]) {
  for (const width of WIDTHS) {
    await show(page, width, suits);
    const cards = await measured(page);
    assert.equal(new Set(cards.map(({ name }) => name)).size, 54);
    for (const { name, ratio, left, top, right, rank, colour, paper } of cards) {
      const what = `${name}, ${width} px wide, ${suits} colours`;
      assert.ok(Math.abs(ratio - 1.4) < 0.01, `${what}: the shape is ${ratio}`);
      assert.ok(left >= 0 && top >= 0, `${what}: the index begins at ${left}, ${top}`);
      assert.ok(rank >= RANK, `${what}: the rank is ${rank} px high`);
      if (width === WIDTHS[0]) assert.ok(right <= UNCOVERED, `${what}: the index ends at ${right}`);
      assert.ok(contrast(colour, paper) >= 4.5, `${what}: ${colour} on ${paper}`);
    }
    const suited = new Set(cards.slice(0, 52).map(({ colour }) => colour));
    assert.equal(suited.size, colours);
    const lightness = [...suited].map((colour) => 116 * Math.cbrt(luminance(colour)) - 16).sort((a, b) => a - b);
    lightness.slice(1).forEach((light, at) => assert.ok(light - lightness[at] > 8, `${suits}: lightness ${lightness}`));
    await differ(page, `${width} px, ${suits}`);
  }
}
for (const colorScheme of ["light", "dark"]) {
  const forced = await device({ viewport: { width: 1280, height: 1000 }, forcedColors: "active", colorScheme });
  await show(forced, WIDTHS[1], "four");
  for (const { name, colour, paper } of await measured(forced)) {
    assert.ok(contrast(colour, paper) >= 7, `${name}, forced colours, ${colorScheme}: ${colour} on ${paper}`);
  }
  await differ(forced, `forced colours, ${colorScheme}`);
}
console.log(`${CARDS.length} faces at ${WIDTHS.join(", ")} px`);
await finish();
