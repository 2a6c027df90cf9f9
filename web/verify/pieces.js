// Reads a file of histories or bundles: lines of pieces, or one object each.

import { canonical, isAny, isCount, isHex, isObject, isText, nullOr, objectOf, parsed, tried } from "./values.js";

/**
 * `isMalformed`: a piece cannot be read; `isCut`: the text breaks off.
 * @typedef {{ isMalformed: boolean, isCut: boolean }} Ending
 */
/** @typedef {{ seq: number, hash: string, body: string }} EventLine */
/** @typedef {{ format: string, game: string, ruleset: string, status: string }} Header */
/** A game; `proofs` has any form. @typedef {{ header: Header, events: EventLine[], end: any, proofs?: any } & Ending} History */

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const WHOLE = /^end,events,header(,proofs)?$/;
const STATUSES = ["finished", "abandoned", "running"];

/** The form of each piece, by its name. @type {Record<string, import("./values.js").Form>} */
const PIECES = {
  header: objectOf({
    format: isText,
    game: (id) => isText(id) && ID.test(id),
    ruleset: isText,
    status: (one) => STATUSES.includes(one),
  }),
  event: objectOf({ seq: isCount, hash: isText, body: isText }),
  end: objectOf({
    events: isCount,
    head: isHex(64),
    standings: isAny,
    signature: nullOr(objectOf({ kid: isAny, value: isHex(128) })),
  }),
};

/** The name of a piece of which the text has the beginning only. */
const CUT = "cut";

/** @param {string} text @returns {{ histories: History[] } & Ending} its own ending is that outside of the histories */
export function read(text) {
  /** @type {ReturnType<typeof read>} */
  const file = { histories: [], isMalformed: false, isCut: false };
  for (const [name, value] of pieces(text)) {
    const last = file.histories.at(-1);
    const open = last?.end === null ? last : null;
    const isPiece = Object.hasOwn(PIECES, name) && PIECES[name]?.(value);
    if (isPiece && name === "header") {
      file.histories.push({ header: value, events: [], end: null, isMalformed: false, isCut: false });
    } else if (isPiece && open) {
      if (name === "event") open.events.push(value);
      else open.end = value;
    } else if (name === "proofs" && last && !open && last.proofs === undefined) {
      last.proofs = value;
    } else {
      const part = open ?? file;
      [part.isMalformed, part.isCut] = [true, name === CUT];
      return file;
    }
  }
  const last = file.histories.at(-1);
  if (last?.end === null) last.isCut = true;
  return file;
}

/**
 * The pieces of a text with their names, and without one what is none.
 * @param {string} text
 * @returns {Generator<[string, any]>}
 */
function* pieces(text) {
  const whole = parsedOnce(text);
  const lines = whole === undefined ? text.split("\n").filter((line) => line.trim() !== "") : [text];
  for (const [at, line] of lines.entries()) {
    const value = whole ?? parsedOnce(line);
    const members = isObject(value) ? Object.entries(value) : [];
    if (value === undefined && at === lines.length - 1 && isBeginning(line)) {
      yield [CUT, undefined];
    } else if (
      WHOLE.test(
        members
          .map(([name]) => name)
          .sort()
          .join(),
      ) &&
      Array.isArray(value.events)
    ) {
      // In the order of the file: an end before the events cuts the history off.
      for (const [name, item] of members) {
        if (name !== "events") yield [name, item];
        else for (const event of item) yield ["event", event];
      }
    } else {
      yield members.length === 1 && members[0] ? members[0] : ["", value];
    }
  }
}

/** Whether a text begins a list or an object, and does not end it. @param {string} text */
function isBeginning(text) {
  let depth = 0;
  for (const mark of text.trimStart().replace(/"[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$)/g, '"')) {
    if ("[{".includes(mark)) depth += 1;
    else if ("]}".includes(mark)) depth -= 1;
    if (depth === 0) return false;
  }
  return depth > 0;
}

/** @param {string} text @returns {any} undefined if not every program reads the text alike, or if it names a member twice */
function parsedOnce(text) {
  const value = parsed(text);
  const written = tried(() => canonical(value));
  return written !== undefined && namesIn(written) === namesIn(text) ? value : undefined;
}

/** How many names of members a JSON text has. @param {string} text */
const namesIn = (text) =>
  (text.match(/"[^"\\]*(?:\\.[^"\\]*)*"\s*:?/g) ?? []).filter((part) => part.endsWith(":")).length;
