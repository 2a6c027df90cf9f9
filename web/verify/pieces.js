// Reads a file of histories or bundles: lines of pieces, or one object each.

import { canonical, isHex, isSoundJson } from "./bytes.js";

/** @typedef {{ seq: number, hash: string, body: string }} EventLine */
/**
 * @typedef {object} History
 * @property {Record<string, any>} header
 * @property {EventLine[]} events
 * @property {Record<string, any> | null} end null if the file breaks off
 * @property {any} proofs the proofs of a bundle, of any form; undefined if there are none
 * @property {boolean} isMalformed whether a piece that cannot be read ends this history
 * @property {boolean} isCut whether the text breaks off within this history
 */

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const STATUSES = ["finished", "abandoned", "running"];

/** The members of each piece, by its name. @type {Record<string, string[]>} */
const MEMBERS = {
  header: ["format", "game", "ruleset", "status"],
  event: ["body", "hash", "seq"],
  end: ["events", "head", "signature", "standings"],
};

/** The name of a piece of which the text has the beginning only. */
const CUT = "cut";

/**
 * @param {string} text
 * @returns {{ histories: History[], isMalformed: boolean, isCut: boolean }} `isMalformed`: something outside of the histories
 *     cannot be read; `isCut`: the text breaks off there
 */
export function read(text) {
  /** @type {History[]} */
  const histories = [];
  /** @type {History | null} */
  let open = null;
  /** The history that ended with the last piece. @type {History | null} */
  let ended = null;
  for (const [name, value] of pieces(text)) {
    const fits = isPiece(name, value);
    const closed = ended;
    ended = null;
    if (name === "proofs" && closed) {
      closed.proofs = value;
    } else if (fits && name === "header") {
      open = { header: value, events: [], end: null, proofs: undefined, isMalformed: false, isCut: false };
      histories.push(open);
    } else if (!fits || open === null) {
      if (open === null) return { histories, isMalformed: true, isCut: name === CUT };
      open.isMalformed = true;
      open.isCut = name === CUT;
      return { histories, isMalformed: false, isCut: false };
    } else if (name === "event") {
      open.events.push(value);
    } else {
      open.end = value;
      [ended, open] = [open, null];
    }
  }
  if (open) open.isCut = true;
  return { histories, isMalformed: false, isCut: false };
}

/**
 * The pieces of a text, each with its name. A text that is not JSON is a piece without a name.
 * @param {string} text
 * @returns {Generator<[string, any]>}
 */
function* pieces(text) {
  const whole = parsed(text);
  const lines = (whole === undefined ? text.split("\n") : [text]).filter((line) => line.trim() !== "");
  for (const [at, line] of lines.entries()) {
    const value = whole ?? parsed(line);
    if (value === undefined && at === lines.length - 1 && isBeginning(line)) {
      yield [CUT, undefined];
      return;
    }
    const names = typeof value === "object" && value !== null ? Object.keys(value) : [];
    if (/^end,events,header(,proofs)?$/.test([...names].sort().join()) && Array.isArray(value.events)) {
      // In the order of the file: an end before the events cuts the history off.
      for (const name of names) {
        if (name !== "events") yield [name, value[name]];
        else for (const event of value.events) yield ["event", event];
      }
    } else {
      yield names.length === 1 ? [/** @type {string} */ (names[0]), value[/** @type {string} */ (names[0])]] : ["", value];
    }
  }
}

/** Whether a text is the beginning of an object, which it does not end. @param {string} text */
function isBeginning(text) {
  const start = text.trimStart();
  let [depth, isInside] = [0, false];
  for (let at = 0; at < start.length; at += 1) {
    const one = start[at];
    if (isInside && one === "\\") at += 1;
    else if (one === '"') isInside = !isInside;
    else if (!isInside && (one === "{" || one === "[")) depth += 1;
    else if (!isInside && (one === "}" || one === "]")) depth -= 1;
    if (depth <= 0) return false;
  }
  return depth > 0;
}

/** How many names of members a JSON text has. @param {string} text */
const namesIn = (text) => (text.match(/"[^"\\]*(?:\\.[^"\\]*)*"\s*:?/g) ?? []).filter((part) => part.endsWith(":")).length;

/** How many members the objects in a value have: fewer than their text has names if one has two of a name. @param {any} value @returns {number} */
const membersOf = (value) =>
  typeof value !== "object" || value === null ? 0
    : Object.values(value).reduce((sum, item) => sum + membersOf(item), Array.isArray(value) ? 0 : Object.keys(value).length);

/** @param {string} text @returns {any} undefined if the text is not JSON, names a member twice, or has a value that no piece can have */
function parsed(text) {
  try {
    const value = JSON.parse(text);
    return isSoundJson(value) && canonical(value) && namesIn(text) === membersOf(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} name @param {any} value */
function isPiece(name, value) {
  const members = (/** @type {any} */ one) => (typeof one === "object" && one !== null ? Object.keys(one).sort().join() : "");
  if (!Object.hasOwn(MEMBERS, name) || members(value) !== MEMBERS[name]?.join()) return false;
  if (name === "header") {
    const areTexts = Object.values(value).every((member) => typeof member === "string");
    return areTexts && ID.test(value.game) && STATUSES.includes(value.status);
  }
  const isCount = (/** @type {unknown} */ number) => Number.isSafeInteger(number) && /** @type {number} */ (number) >= 0;
  if (name === "event") return isCount(value.seq) && typeof value.hash === "string" && typeof value.body === "string";
  const { signature } = value;
  const isSignature = signature === null || (members(signature) === "kid,value" && isHex(signature.value, 128));
  return isCount(value.events) && isHex(value.head, 64) && isSignature;
}
