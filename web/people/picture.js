// Pictures of players, made from their names: people are round, bots have a head with an aerial.

import { html, useMemo } from "../view.js";

/** Pairs of colours, a ground and a figure on it. White letters are readable on each. @type {readonly [string, string][]} */
export const COLOURS = [
  ["#17457f", "#2c69b0"],
  ["#7a1f3d", "#b03a5b"],
  ["#0b5a55", "#157a70"],
  ["#5a2a82", "#8550b5"],
  ["#7d3a0c", "#a8561c"],
  ["#3b5318", "#557a22"],
  ["#38405c", "#5b678f"],
  ["#7b1e1e", "#b8403a"],
  ["#0f5372", "#197a9c"],
  ["#6a1a69", "#a13c9c"],
];

/** Figures on a square 100 wide, which turn around its middle. */
const FIGURES = [
  "M0 0H50V100H0Z",
  "M0 0L100 100V0Z",
  "M-20 20H120V38H-20ZM-20 56H120V74H-20Z",
  "M50 6a44 44 0 1 0 0.1 0zM50 22a28 28 0 1 1 -0.1 0z",
  "M8 26a18 18 0 1 0 36 0a18 18 0 1 0 -36 0zM56 26a18 18 0 1 0 36 0a18 18 0 1 0 -36 0z" +
    "M8 74a18 18 0 1 0 36 0a18 18 0 1 0 -36 0zM56 74a18 18 0 1 0 36 0a18 18 0 1 0 -36 0z",
  "M-20 40L50 -10L120 40V64L50 14L-20 64ZM-20 90L50 40L120 90V114L50 64L-20 114Z",
  "M50 -10L64 36L110 50L64 64L50 110L36 64L-10 50L36 36Z",
  "M0 0H50V50H100V100H50V50H0Z",
];
const TURNS = 8;

/**
 * A picture of a player. It says nothing that the name beside it does not say. Its width is `--picture`.
 * @param {{ name: string, kind: "human" | "bot" | string }} properties
 */
export function Picture({ name, kind }) {
  return useMemo(() => drawn(name, kind === "bot"), [name, kind]);
}

/** What the picture of a name is made of. @param {string} name */
export function portrait(name) {
  const normal = name.normalize("NFC");
  const number = hash(normal);
  const [ground, figure] = /** @type {[string, string]} */ (COLOURS[number % COLOURS.length]);
  const rest = Math.floor(number / COLOURS.length);
  return {
    initial: initial(normal),
    ground,
    figure,
    path: /** @type {string} */ (FIGURES[rest % FIGURES.length]),
    turn: (Math.floor(rest / FIGURES.length) % TURNS) * (360 / TURNS),
  };
}

/** The first letter or digit of a name, or else its first sign. @param {string} name */
function initial(name) {
  const signs = Array.from(name.trim());
  return (signs.find((sign) => /[\p{L}\p{N}]/u.test(sign)) ?? signs[0] ?? "").toUpperCase();
}

/** FNV-1a, and a last step that mixes its bits. @param {string} text */
function hash(text) {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  return (value ^ (value >>> 13)) >>> 0;
}

/** @param {string} name @param {boolean} isBot */
function drawn(name, isBot) {
  const { initial: letter, ground, figure, path, turn } = portrait(name);
  const [y, size] = isBot ? [67, 50] : [52, 48];
  const shapes = html`<rect width="100" height="100" fill=${ground} />
    <path d=${path} fill=${figure} transform=${`rotate(${turn} 50 50)`} />
    ${isBot && html`<circle cx="28" cy="26" r="9" fill="#fff" /><circle cx="72" cy="26" r="9" fill="#fff" />`}
    <text x="50" y=${y} text-anchor="middle" dominant-baseline="central" font-size=${size} fill="#fff">${letter}</text>`;
  if (!isBot)
    return html`<svg class="picture" viewBox="0 0 100 100" aria-hidden="true" focusable="false">${shapes}</svg>`;
  return html`<span class="picture bot" aria-hidden="true">
    <svg class="body" viewBox="0 0 100 100" focusable="false">
      <path d="M50 24V9" stroke="#f4f1e6" stroke-width="5" />
      <circle cx="50" cy="8" r="7.5" fill="#ffcf5c" />
      <path d="M3 46h12v26H3zM85 46h12v26H85z" fill="#f4f1e6" />
    </svg>
    <svg class="head" viewBox="0 0 100 100" focusable="false">${shapes}</svg>
  </span>`;
}
