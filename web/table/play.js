// The table while a game is played: the felt with the seats around it, the trick in the middle, the trump, and the hand at the lower
// edge; over it the calls and the result of a round.

import { parse, SYMBOLS } from "../game/cards.js";
import { around, ownSeat, slotsOf } from "../game/seats.js";
import { t } from "../i18n/index.js";
import { html, lazy, loadStyle, useLayoutEffect, useMemo, useState } from "../view.js";
import { Calls } from "./calls.js";
import { Hand } from "./hand.js";
import { placesOf } from "./places.js";
import { Seat } from "./seat.js";
import { trumpSymbol } from "./token.js";
import { Trick } from "./trick.js";

await Promise.all([
  loadStyle("cards"),
  loadStyle("table"),
  loadStyle("over_felt"),
  loadStyle("seats"),
  loadStyle("seat_forms"),
  loadStyle("trick"),
]);

// The first round takes longer than loading it.
const RoundSheet = lazy(
  async () => (await Promise.all([import("./round_sheet.js"), loadStyle("sheet")]))[0].RoundSheet,
);

/**
 * What the parts of a table share.
 * @typedef {object} Table
 * @property {Game} [game] none in a lesson
 * @property {Shown} shown
 * @property {GameView} view
 * @property {import("./places.js").Places} places
 * @property {(command: Command) => void} send
 * @property {(command: Command) => void} onRefused a card or a call that was tried and is not legal
 */

/** The size of the page, read only when it changes: to read it, the browser must lay the page out. */
function usePage() {
  const read = () => ({
    width: document.documentElement.clientWidth,
    height: innerHeight,
    rem: parseFloat(getComputedStyle(document.documentElement).fontSize),
  });
  const [page, setPage] = useState(read);
  useLayoutEffect(() => {
    const update = () => setPage(read());
    // The table has no scroll bar; the page before it may have had one.
    update();
    addEventListener("resize", update);
    return () => removeEventListener("resize", update);
  }, []);
  return page;
}

/**
 * @param {GameView} view
 * @param {number | null} own
 * @param {number} [top] the room below the bar; without it the felt begins under it
 */
export function usePlaces(view, own, top = 0) {
  const felt = { ...usePage(), players: view.seats.length, slots: slotsOf(view), isSeated: own !== null, top };
  return useMemo(() => placesOf(felt), Object.values(felt));
}

/**
 * Those who watch see seat 0 at the bottom.
 * @param {Table & { children?: unknown }} properties `children`: advice, over the felt or the calls
 */
export function Play({ children, ...table }) {
  const { shown, view, places } = table;
  const { round } = view;
  const own = ownSeat(view);
  const near = own ?? 0;
  const trump = round?.trump;
  const others = around(view, near);
  const boxes = new Map([[near, places.own]]);
  others.forEach((seat, index) => boxes.set(seat, places.others[index] ?? places.own));
  const order = view.seats.map((_, offset) => (near + offset) % view.seats.length);
  const hand = own === null ? null : round?.hands[own];
  const last = others.length > 1 ? others.at(-1) : null;
  const calls = shown.legal.filter(({ type }) => type !== "play");
  const sheet = html`<${RoundSheet} shown=${shown} />`;
  return html`<div class=${`felt table ${places.form} ${shown.step?.kind === "deal" ? "dealing" : ""}`} dir="ltr"
    data-round=${round?.number}
    style=${{ "--deal": `${shown.step?.ms ?? 0}ms`, insetBlockStart: `${places.top}px` }}>
    ${
      trump &&
      html`<span class=${`watermark ${trump}`} aria-hidden="true" style=${{ insetBlockStart: `${places.centre.y}px` }}>
      ${trumpSymbol(trump)}</span>`
    }
    <ol class="seats" aria-label=${t("felt.players")}>
      ${order.map(
        (seat, place) => html`<${Seat} ...${table} key=${place} seat=${seat} box=${boxes.get(seat)}
        side=${seat === last ? "start" : "end"} isOwn=${seat === own} />`,
      )}
    </ol>
    <${Trick} ...${table} seats=${boxes} own=${own} />
    ${hand && html`<${Hand} ...${table} hand=${hand} />`}
    ${calls.length === 0 && children}
    ${own !== null && calls.length === 0 && shown.legal.length > 0 && html`<${Prompt} ...${table} own=${own} />`}
    ${calls.length > 0 && html`<${Calls} ...${table} commands=${calls}>${shown.isStrip && sheet}${children}</${Calls}>`}
    ${!shown.isStrip && sheet}
  </div>`;
}

/** That the player must play a card, in sight: the announcer says it too. @param {Table & { own: number }} properties */
function Prompt({ shown: { legal }, view: { round }, places: { form, own: box, hand }, own }) {
  const place =
    form === "tall"
      ? {
          insetBlockStart: `${box.y}px`,
          blockSize: `${box.height}px`,
          insetInlineStart: `${box.x + box.width}px`,
          insetInlineEnd: "0",
        }
      : { insetBlockEnd: `calc(100% - ${hand.y - 4}px)`, insetInline: "0" };
  const led = round?.trick?.plays[0]?.card;
  const suit = led && parse(led).suit;
  // With fewer cards than the hand has, all of the suit that was led, one follows it.
  const follows =
    suit &&
    legal.length < (round.hands[own]?.count ?? 0) &&
    legal.every(({ card }) => card && parse(card).suit === suit);
  return html`<div class="prompt" aria-hidden="true" style=${place}>
    <span class="words" dir="auto">${follows ? t("felt.follow", { suit: SYMBOLS[suit] }) : t(`felt.your.${round?.phase}`)}</span>
  </div>`;
}
