// The small Markdown of rules: headings, paragraphs, lists, tables, and in a line **strong**, *stressed*, `code`,
// [text](link) and {word|shown}.

/** @typedef {{ kind: "heading", level: number, text: string }} Heading */
/** @typedef {{ text: string, items: string[] }} Item an item of a list, with the items of a list in it */
/**
 * @typedef {{ kind: "list", first: number | null, items: Item[] }} List `first` is the number of the first item, if
 *     they have numbers
 */
/** @typedef {Heading | { kind: "paragraph", text: string } | { kind: "table", rows: string[][] } | List} Block */
/** @typedef {{ kind: "word", word: string, text: string } | { kind: "link", to: string, text: string }} Reference */
/** @typedef {{ kind: "text" | "strong" | "stressed" | "code", text: string } | Reference} Piece */

const ITEM = /^(\s*)(?:[-*]|\d+\.)\s+(.*)$/;
const PIECE = /\{([\w.]+)\|([^}]+)\}|\*\*(.+?)\*\*|\*(.+?)\*|`([^`]+)`|\[([^\]]+)\]\(([^)]*)\)/g;

/** @param {string} source @returns {Block[]} */
export function blocks(source) {
  /** @type {Block[]} */
  const found = [];
  for (const part of source.trim().split(/\n\s*\n/)) {
    const lines = part.split("\n");
    const before = found.at(-1);
    // An indented paragraph belongs to the item before it, and more items may follow it.
    if (before?.kind === "list" && /^\s+[^\s|]/.test(part) && !ITEM.test(lines[0] ?? "")) {
      before.items.at(-1)?.items.push("");
      addItems(before.items, lines);
      continue;
    }
    const block = heading(lines) ??
      table(lines) ??
      list(lines) ?? { kind: /** @type {const} */ ("paragraph"), text: joined(lines) };
    // An empty line between items does not end a list.
    if (block.kind === "list" && before?.kind === "list" && (block.first === null) === (before.first === null))
      before.items.push(...block.items);
    else found.push(block);
  }
  return found;
}

/** @param {string[]} lines */
const joined = (lines) => lines.map((line) => line.trim()).join(" ");

/** @param {string[]} lines @returns {Heading | null} */
function heading(lines) {
  const match = /^(#+)\s+(.*)$/.exec(lines[0] ?? "");
  return match ? { kind: "heading", level: match[1]?.length ?? 1, text: match[2] ?? "" } : null;
}

/** The first row is the head. @param {string[]} lines @returns {Block | null} */
function table(lines) {
  if (!lines.every((line) => line.trim().startsWith("|"))) return null;
  const rows = lines.filter((line) => !/^[\s|:-]+$/.test(line)).map(cells);
  return { kind: "table", rows };
}

/** The bar of {word|shown} and escaped ones divide no cells. @param {string} line */
function cells(line) {
  const inner = line.trim().replace(/^\||\|$/g, "");
  return (inner.match(/(?:\{[^}]*\}|\\\||[^|])+/g) ?? []).map((cell) => cell.trim());
}

/** @param {string[]} lines @returns {List | null} */
function list(lines) {
  const first = ITEM.exec(lines[0] ?? "");
  if (!first) return null;
  /** @type {Item[]} */
  const items = [];
  addItems(items, lines);
  const number = Number.parseInt(lines[0] ?? "", 10);
  return { kind: "list", first: Number.isNaN(number) ? null : number, items };
}

/**
 * Adds lines to the items of a list: new items, items in the last one, and more text.
 * @param {Item[]} items
 * @param {string[]} lines
 */
function addItems(items, lines) {
  for (const line of lines) {
    const match = ITEM.exec(line);
    const last = items.at(-1);
    const [, indent = "", text = ""] = match ?? [];
    if (match && (indent.length === 0 || !last)) items.push({ text, items: [] });
    else if (match) last?.items.push(text);
    else if (last && last.items.length > 0) last.items.push(`${last.items.pop()} ${line.trim()}`.trim());
    else if (last) last.text += ` ${line.trim()}`;
  }
}

/** @param {string} source @returns {Piece[]} */
export function pieces(source) {
  const line = source.replaceAll("\\|", "|");
  /** @type {Piece[]} */
  const found = [];
  let end = 0;
  for (const match of line.matchAll(PIECE)) {
    const [whole, word, shown = "", strong, stressed, code, text = "", to = ""] = match;
    if (match.index > end) found.push({ kind: "text", text: line.slice(end, match.index) });
    if (word) found.push({ kind: "word", word, text: shown });
    else if (strong) found.push({ kind: "strong", text: strong });
    else if (stressed) found.push({ kind: "stressed", text: stressed });
    else found.push(code ? { kind: "code", text: code } : { kind: "link", to, text });
    end = match.index + whole.length;
  }
  if (end < line.length) found.push({ kind: "text", text: line.slice(end) });
  return found;
}
