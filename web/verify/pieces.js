// Reads a file of histories or bundles: lines of pieces, or one object each.

import { canonical, tried } from "./bytes.js";
import { hasForm, isAny, isCount, isHex, isObject, isText, parsed } from "./forms.js";

/** @typedef {{ seq: number, hash: string, body: string }} EventLine */
/** How a part ends: a piece in it cannot be read, or the text breaks off within it. @typedef {{ isMalformed: boolean, isCut: boolean }} Ending */
/** What a file has of a game; `proofs` has any form. @typedef {{ header: any, events: EventLine[], end: any, proofs?: any } & Ending} History */

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const WHOLE = /^end,events,header(,proofs)?$/;
const STATUSES = ["finished", "abandoned", "running"];
const SIGNATURE = { kid: isAny, value: (/** @type {unknown} */ value) => isHex(value, 128) };

/** The members of each piece, by its name. @type {Record<string, Record<string, import("./forms.js").Form>>} */
const PIECES = {
  header: { format: isText, game: (id) => isText(id) && ID.test(id), ruleset: isText, status: (status) => STATUSES.includes(status) },
  event: { seq: isCount, hash: isText, body: isText },
  end: {
    events: isCount,
    head: (head) => isHex(head, 64),
    standings: isAny,
    signature: (signature) => signature === null || hasForm(signature, SIGNATURE),
  },
};

/** The name of a piece of which the text has the beginning only. */
const CUT = "cut";

/** @param {string} text @returns {{ histories: History[] } & Ending} `isMalformed` and `isCut` if that is outside of the histories */
export function read(text) {
  /** @type {ReturnType<typeof read>} */
  const file = { histories: [], isMalformed: false, isCut: false };
  for (const [name, value] of pieces(text)) {
    const last = file.histories.at(-1);
    const open = last?.end === null ? last : null;
    const isPiece = Object.hasOwn(PIECES, name) && hasForm(value, PIECES[name] ?? {});
    if (isPiece && name === "header") {
      file.histories.push({ header: value, events: [], end: null, isMalformed: false, isCut: false });
    } else if (isPiece && open) {
      if (name === "event") open.events.push(value);
      else open.end = value;
    } else if (name === "proofs" && last && !open && last.proofs === undefined) {
      last.proofs = value;
    } else {
      Object.assign(open ?? file, { isMalformed: true, isCut: name === CUT });
      return file;
    }
  }
  const last = file.histories.at(-1);
  if (last?.end === null) last.isCut = true;
  return file;
}

/**
 * The pieces of a text, each with its name. A text that is not JSON is a piece without a name.
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
    } else if (WHOLE.test(members.map(([name]) => name).sort().join()) && Array.isArray(value.events)) {
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

/** Whether a text is the beginning of a list or an object, which it does not end. @param {string} text */
function isBeginning(text) {
  let depth = 0;
  for (const mark of text.trimStart().replace(/"[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$)/g, '"')) {
    if ("[{".includes(mark)) depth += 1;
    else if ("]}".includes(mark)) depth -= 1;
    if (depth === 0) return false;
  }
  return depth > 0;
}

/** @param {string} text @returns {any} undefined if the text names a member twice, or is not JSON that every program reads alike */
function parsedOnce(text) {
  const value = parsed(text);
  const written = tried(() => canonical(value));
  return written !== undefined && namesIn(written) === namesIn(text) ? value : undefined;
}

/** How many names of members a JSON text has. @param {string} text */
const namesIn = (text) => (text.match(/"[^"\\]*(?:\\.[^"\\]*)*"\s*:?/g) ?? []).filter((part) => part.endsWith(":")).length;
