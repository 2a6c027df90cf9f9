// Playing cards. The suit shows by its shape and by the name of the card, not by colour alone.

import { cardName, parse } from "../game/cards.js";
import { html, render, useLayoutEffect, useMemo, useRef } from "../view.js";
import { figure } from "./courts.js";
import { pip, pips, strokes } from "./pips.js";

/** @typedef {import("../game/cards.js").Suit} Suit */

/** The star in the ace of spades. */
const STAR =
  "M50 58l3.8 8.2l8.7 -3.1l-3.1 8.7l8.2 3.8" +
  "l-8.2 3.8l3.1 8.7l-8.7 -3.1l-3.8 8.2l-3.8 -8.2l-8.7 3.1l3.1 -8.7l-8.2 -3.8l8.2 -3.8l-3.1 -8.7l8.7 3.1z";

/**
 * A card as a picture. Its width is `--card`, or what a style sheet gives to it; the height follows.
 * @param {{ card: string, size?: "small" | null, state?: "won" | null }} properties
 */
export function Card({ card, size = null, state = null }) {
  return html`<span class=${`${cardClass(card)} ${size ?? ""}`} role="img" aria-label=${cardName(card)} data-state=${state}>
    <${Face} card=${card} /></span>`;
}

/** A card face down. Whoever shows backs tells their number in words. */
export const Back = () => html`<span class="card back" aria-hidden="true"></span>`;

/** The classes of an element that holds a face. @param {string} card */
export const cardClass = (card) => `card suit-${parse(card).suit} ${card === "BJ" ? "black" : ""}`;

/** The faces that were drawn: a copy takes a tenth of the time. @type {Map<string, HTMLElement>} */
const faces = new Map();

/**
 * What is printed on a card, for a control that is a card itself: `class=${cardClass(card)}`.
 * @param {{ card: string }} properties
 */
export function Face({ card }) {
  /** @type {Ref<HTMLElement>} */
  const element = useRef(null);
  useLayoutEffect(() => element.current?.replaceChildren(...face(card).cloneNode(true).childNodes), [card]);
  return useMemo(() => html`<span class="face" aria-hidden="true" ref=${element}></span>`, []);
}

/** @param {string} card @returns {HTMLElement} */
function face(card) {
  const known = faces.get(card);
  if (known) return known;
  const { rank, suit } = parse(card);
  const kind = Number(rank) > 0 || rank === "A" ? "art" : "art court";
  const drawn = document.createElement("span");
  render(
    html`<svg class=${kind} viewBox="0 0 100 140" focusable="false">${art(rank, suit)}</svg>
    ${["index", "index turned"].map((place) => index(place, rank, suit))}`,
    drawn,
  );
  faces.set(card, drawn);
  return drawn;
}

/** @param {string} rank @param {Suit} suit */
function art(rank, suit) {
  if (Number(rank) > 0) return html`<path class="pip" d=${pips(suit, rank)} />`;
  if (rank === "A" && suit !== "S") return html`<path class="pip" d=${pip(suit, 50, 70, 46)} />`;
  if (rank === "A") {
    return html`<path class="pip" d=${pip("S", 50, 68, 76)} />
      <path class="inlay" d=${pip("S", 50, 69, 62)} />
      <path class="star" d=${STAR} />
      <path class="pip" d=${pip("S", 50, 75.4, 9)} />`;
  }
  const shapes = () =>
    figure(rank, suit).map(([paint, path]) => html`<path class=${paint} fill=${`var(--${paint})`} d=${path} />`);
  return html`<rect class="frame" x="21" y="8" width="58" height="124" rx="2.5" />
    <g>${shapes()}</g><g transform="rotate(180 50 70)">${shapes()}</g>
    ${suit !== "J" && html`<path class="pip framed" d=${pip(suit, 28.4, 17, 11) + pip(suit, 71.6, 123, -11)} />`}`;
}

/** The rank and the suit in a corner. @param {string} place @param {string} rank @param {Suit} suit */
function index(place, rank, suit) {
  const sign = suit === "J" ? pip(suit, 14, 14, 24) : pip(suit, 14, 43, 20);
  return html`<svg class=${place} viewBox="0 0 28 54" focusable="false">
    <path class="rank" transform="translate(4)" d=${strokes(rank)} /><path class=${rank === "BJ" ? "hollow" : "pip"} d=${sign} /></svg>`;
}
