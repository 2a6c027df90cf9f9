// The signs on a card: outlines of suits, strokes of ranks, and the places of pips on a face 100 wide and 140 high.

/** @typedef {import("../game/cards.js").Suit} Suit */

/**
 * The outlines of the suits around (0, 0), 20 high. All numbers are relative: a factor scales them.
 * @type {Record<Suit, string>}
 */
const OUTLINES = {
  S:
    "m0 -10c1.6 3.6 9.2 7.6 9.2 12.6c0 2.8 -2 4.6 -4.4 4.6c-1.6 0 -3 -0.8 -3.8 -2.2c0.2 2 1 3.8 2.6 5l-7.2 0" +
    "c1.6 -1.2 2.4 -3 2.6 -5c-0.8 1.4 -2.2 2.2 -3.8 2.2c-2.4 0 -4.4 -1.8 -4.4 -4.6c0 -5 7.6 -9 9.2 -12.6z",
  H:
    "m0 9.5c-1.5 -3.5 -9.5 -8 -9.5 -13.2c0 -3.2 2.3 -5.6 5 -5.6c2 0 3.7 1.3 4.5 3.4c0.8 -2.1 2.5 -3.4 4.5 -3.4" +
    "c2.7 0 5 2.4 5 5.6c0 5.2 -8 9.7 -9.5 13.2z",
  D: "m0 -10.5c1.9 3.7 4.9 7.3 8 10.5c-3.1 3.2 -6.1 6.8 -8 10.5c-1.9 -3.7 -4.9 -7.3 -8 -10.5c3.1 -3.2 6.1 -6.8 8 -10.5z",
  C:
    "m-4.5 -5.4c0 -2.5 2 -4.5 4.5 -4.5c2.5 0 4.5 2 4.5 4.5c0 2.5 -2 4.5 -4.5 4.5c-2.5 0 -4.5 -2 -4.5 -4.5z" +
    "m-5 7.4c0 -2.5 2 -4.5 4.5 -4.5c2.5 0 4.5 2 4.5 4.5c0 2.5 -2 4.5 -4.5 4.5c-2.5 0 -4.5 -2 -4.5 -4.5z" +
    "m10 0c0 -2.5 2 -4.5 4.5 -4.5c2.5 0 4.5 2 4.5 4.5c0 2.5 -2 4.5 -4.5 4.5c-2.5 0 -4.5 -2 -4.5 -4.5z" +
    "m1.4 -4.2c-0.6 6 0.2 10.3 2.1 12.2l-8 0c1.9 -1.9 2.7 -6.2 2.1 -12.2z",
  J: "m0 -10l2.6 6.8l7.2 0.4l-5.6 4.6l1.8 7l-6 -3.9l-6 3.9l1.8 -7l-5.6 -4.6l7.2 -0.4z",
};

/** The strokes of the ranks, 20 wide and 28 high, to be drawn 4 wide. @type {Record<string, string>} */
const STROKES = {
  A: "M2 26L10 2L18 26M5.3 18H14.7",
  2: "M3 8.5C3 4.5 6 2 10 2C14.2 2 17 4.6 17 8.4C17 14.2 3.5 19 2.8 26H17.6",
  3: "M3 2H16.6L9.4 11C14.2 11 17.6 13.8 17.6 18.4C17.6 23 14.2 26 9.8 26C6 26 3.4 24.4 2.4 21.4",
  4: "M13.4 26V2L2 19.4H18.4",
  5: "M16.4 2H5.2L4 12.6C5.6 11.2 7.6 10.4 10 10.4C14.4 10.4 17.6 13.4 17.6 18C17.6 22.8 14.4 26 9.8 26C6.2 26 3.6 24.4 2.4 21.4",
  6:
    "M14.8 2C7.6 5.4 2.6 11 2.6 18.2C2.6 23 5.8 26 10.1 26C14.4 26 17.5 22.9 17.5 18.6" +
    "C17.5 14.4 14.5 11.4 10.5 11.4C6.6 11.4 3.4 13.8 2.7 17.4",
  7: "M2.4 2H17.6C12.4 9.4 8.6 17.4 8 26",
  8:
    "M10 12.9C6.5 12.9 4 10.7 4 7.4C4 4.2 6.5 2 10 2C13.5 2 16 4.2 16 7.4C16 10.7 13.5 12.9 10 12.9C5.7 12.9 2.6 15.6 2.6 19.4" +
    "C2.6 23.3 5.7 26 10 26C14.3 26 17.4 23.3 17.4 19.4C17.4 15.6 14.3 12.9 10 12.9Z",
  9:
    "M5.2 26C12.4 22.6 17.4 17 17.4 9.8C17.4 5 14.2 2 9.9 2C5.6 2 2.5 5.1 2.5 9.4" +
    "C2.5 13.6 5.5 16.6 9.5 16.6C13.4 16.6 16.6 14.2 17.3 10.6",
  10: "M-2.4 6.4L2.4 2.6V26M10.2 14C10.2 6.4 12.4 2 16.4 2C20.4 2 22.6 6.4 22.6 14C22.6 21.6 20.4 26 16.4 26C12.4 26 10.2 21.6 10.2 14Z",
  J: "M14.6 2V18.8C14.6 23.4 12.4 26 8.6 26C5.2 26 3 24 2.4 20.4",
  Q: "M10 2C5 2 2 6.6 2 14C2 21.4 5 26 10 26C15 26 18 21.4 18 14C18 6.6 15 2 10 2ZM11.4 19.4L18.6 27.4",
  K: "M3.6 2V26M17 2L4 15.6M8.6 11.4L17.8 26",
};

/** Where the pips of a rank stand: those below the middle are turned over. @type {Record<string, [number, number][]>} */
const PLACES = {
  2: both([50, 26]),
  3: [...both([50, 26]), [50, 70]],
  4: both([33, 26], [67, 26]),
  5: [...both([33, 26], [67, 26]), [50, 70]],
  6: [...both([33, 26], [67, 26]), [33, 70], [67, 70]],
  7: [...both([33, 26], [67, 26]), [33, 70], [67, 70], [50, 48]],
  8: [...both([33, 26], [67, 26], [50, 48]), [33, 70], [67, 70]],
  9: [...both([33, 26], [67, 26], [33, 55.4], [67, 55.4]), [50, 70]],
  10: both([33, 26], [67, 26], [33, 55.4], [67, 55.4], [50, 40.6]),
};

/** The places and those opposite. @param {[number, number][]} upper @returns {[number, number][]} */
function both(...upper) {
  return upper.flatMap(
    ([x, y]) =>
      /** @type {[number, number][]} */ ([
        [x, y],
        [100 - x, 140 - y],
      ]),
  );
}

/**
 * One pip around (x, y).
 * @param {Suit} suit
 * @param {number} x
 * @param {number} y
 * @param {number} height negative to turn it over
 */
export function pip(suit, x, y, height) {
  const scaled = OUTLINES[suit].replace(/-?[\d.]+/g, (number) => String(Math.round(Number(number) * height * 5) / 100));
  return `M${x} ${y}${scaled}`;
}

/** The path of all pips of a number. @param {Suit} suit @param {string} rank */
export function pips(suit, rank) {
  const height = Number(rank) > 8 ? 18 : 19;
  return (PLACES[rank] ?? []).map(([x, y]) => pip(suit, x, y, y > 70 ? -height : height)).join("");
}

/** The strokes of a rank, which are none for a joker. @param {string} rank */
export const strokes = (rank) => STROKES[rank] ?? "";
