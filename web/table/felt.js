// The felt: the seats around it, the trick in the middle, the trump, and the hand at the lower edge.

import { parse, SYMBOLS } from "../game/cards.js";
import { t } from "../i18n/index.js";
import { html, useEffect, useMemo, useRedraw } from "../view.js";
import { Hand } from "./hand.js";
import { placesOf } from "./places.js";
import { Seat } from "./seat.js";
import { around, slotsOf } from "./seats.js";
import { trumpSymbol } from "./token.js";
import { Trick } from "./trick.js";

/** @typedef {import("../schema").components["schemas"]} Schemas */
/** @typedef {Schemas["Command"]} Command */
/** @typedef {import("./places.js").Places} Places */

/** The size of the page and of its text. */
function useSize() {
  const redraw = useRedraw();
  useEffect(() => {
    addEventListener("resize", redraw);
    return () => removeEventListener("resize", redraw);
  }, []);
  return { width: document.documentElement.clientWidth, height: innerHeight, rem: parseFloat(getComputedStyle(document.documentElement).fontSize) };
}

/**
 * Where everything of a game lies on this page.
 * @param {Schemas["GameView"]} view @param {number | null} own
 * @param {number} [top] the room between the bar and the felt; without it the felt begins under the bar
 */
export function usePlaces(view, own, top = 0) {
  const { width, height, rem } = useSize();
  const [players, slots, isSeated] = [view.seats.length, slotsOf(view), own !== null];
  return useMemo(() => placesOf({ width, height, rem, players, slots, isSeated, top }), [width, height, rem, players, slots, isSeated, top]);
}

/**
 * @typedef {object} Properties
 * @property {import("../show/shown.js").Shown} shown
 * @property {Schemas["GameView"]} view
 * @property {Places} places
 * @property {number | null} own null for those who watch; seat 0 is at the bottom then
 * @property {string[]} names
 * @property {readonly Command[]} legal
 * @property {(command: Command) => void} send
 * @property {(command: Command) => void} onRefused
 * @property {unknown} children what lies over the felt
 */

/** @param {Properties} properties */
export function Felt({ shown, view, places, own, names, legal, send, onRefused, children }) {
  const near = own ?? 0;
  const { round } = view;
  const others = around(view, near);
  const boxes = new Map([[near, places.own], ...others.map((seat, index) => /** @type {const} */ ([seat, places.others[index] ?? places.own]))]);
  const order = view.seats.map((_, offset) => (near + offset) % view.seats.length);
  const hand = own === null ? null : round?.hands[own];
  const sideOf = (/** @type {number} */ seat) => (others.indexOf(seat) > 0 && others.indexOf(seat) === others.length - 1 ? "start" : "end");
  return html`<div class=${`felt table ${places.form} ${shown.step?.kind === "deal" ? "dealing" : ""}`} dir="ltr" data-round=${round?.number}
    style=${{ "--deal": `${shown.step?.ms ?? 0}ms`, insetBlockStart: `${places.top}px` }}>
    ${round?.trump ? html`<span class=${`watermark ${round.trump}`} aria-hidden="true" style=${{ insetBlockStart: `${places.centre.y}px` }}>${trumpSymbol(round.trump)}</span>` : null}
    <ol class="seats" aria-label=${t("felt.players")}>
      ${order.map((seat, place) => html`<${Seat} key=${place} view=${view} seat=${seat} box=${boxes.get(seat)} side=${sideOf(seat)} isOwn=${seat === own} step=${shown.step} />`)}
    </ol>
    <${Trick} shown=${shown} places=${places} seats=${boxes} own=${own} names=${names} />
    ${hand ? html`<${Hand} hand=${hand} trump=${round?.trump ?? null} places=${places} legal=${legal} send=${send} onRefused=${onRefused} />` : null}
    ${children}
  </div>`;
}

/** That it is one's own turn, in sight: the announcer says it too. @param {{ view: Schemas["GameView"], places: Places, own: number | null, legal: readonly Command[], isSilent: boolean }} properties */
export function Prompt({ view, places: { form, own: box, hand }, own, legal, isSilent }) {
  if (own === null || isSilent || legal.length === 0) return null;
  const place = form === "tall"
    ? { insetBlockStart: `${box.y}px`, blockSize: `${box.height}px`, insetInlineStart: `${box.x + box.width}px`, insetInlineEnd: "0" }
    : { insetBlockEnd: `calc(100% - ${hand.y - 4}px)`, insetInline: "0" };
  return html`<div class="prompt" aria-hidden="true" style=${place}><span class="words" dir="auto">${wordsOf(view, own, legal)}</span></div>`;
}

/** @param {Schemas["GameView"]} view @param {number} own @param {readonly Command[]} legal */
function wordsOf({ round }, own, legal) {
  const led = round?.trick?.plays[0]?.card;
  const suit = led && parse(led).suit;
  const cards = legal.flatMap(({ card }) => (card ? [card] : []));
  // With fewer cards than the hand has, all of the suit that was led, one follows it.
  const follows = suit && cards.length > 0 && cards.length < (round.hands[own]?.count ?? 0) && cards.every((card) => parse(card).suit === suit);
  return follows ? t("felt.follow", { suit: SYMBOLS[suit] }) : t(`felt.your.${round?.phase}`);
}
