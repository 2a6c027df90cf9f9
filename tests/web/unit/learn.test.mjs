// Texts of rules and words: their Markdown, and that both languages say the same things.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { blocks, pieces } from "../../../web/learn/markup.js";

const TEXTS = new URL("../../../web/learn/texts/", import.meta.url);
const RULESETS = ["plain", "nineteen", "squares", "kabooot", "double-risk"];
const textOf = async (language, name) => (await import(`${TEXTS}${language}/${name}.js`)).default;

/** All words that a text opens. */
const opened = (text) => [...text.matchAll(/\{([\w.]+)\|/g)].map(([, word]) => word);

test("blocks are divided by empty lines", () => {
  assert.deepEqual(blocks("# Title\n\nOne\nline.\n\n- first\n  goes on\n- second\n  - inner\n\n| a | b |\n|---|---|\n| {x|y} | |"), [
    { kind: "heading", level: 1, text: "Title" },
    { kind: "paragraph", text: "One line." },
    { kind: "list", first: null, items: [{ text: "first goes on", items: [] }, { text: "second", items: ["inner"] }] },
    { kind: "table", rows: [["a", "b"], ["{x|y}", ""]] },
  ]);
});

test("a list goes on after an empty line, and one of another kind begins anew", () => {
  const [first, second, , third] = blocks("1. one\n\n2. two\n\n- three\n\nText.\n\n3. more");
  assert.equal(first.items.length, 2);
  assert.deepEqual([first.first, second.first, third.first], [1, null, 3]);
});

test("an indented paragraph belongs to the item before it, and items may follow it", () => {
  const [list, ...others] = blocks("1. one\n   - inner\n\n   More of\n   one.\n2. two");
  assert.deepEqual(list.items, [{ text: "one", items: ["inner", "More of one."] }, { text: "two", items: [] }]);
  assert.deepEqual(others, []);
});

test("words, stress and code are pieces of a line", () => {
  assert.deepEqual(pieces("A {with|With} is **not** *a* [b](c.md) `call`."), [
    { kind: "text", text: "A " },
    { kind: "word", word: "with", text: "With" },
    { kind: "text", text: " is " },
    { kind: "strong", text: "not" },
    { kind: "text", text: " " },
    { kind: "stressed", text: "a" },
    { kind: "text", text: " " },
    { kind: "link", to: "c.md", text: "b" },
    { kind: "text", text: " " },
    { kind: "code", text: "call" },
    { kind: "text", text: "." },
  ]);
});

test("an escaped bar divides no cells and is shown as a bar", () => {
  const [table] = blocks("| a | minus \\|b\\| |");
  assert.deepEqual(table.rows, [["a", "minus \\|b\\|"]]);
  assert.deepEqual(pieces(table.rows[0][1]), [{ kind: "text", text: "minus |b|" }]);
});

test("both languages have the same texts, with the same sections, tables and words", async () => {
  const names = (language) => readdirSync(new URL(`${language}/`, TEXTS)).sort();
  assert.deepEqual(names("ar"), names("en"));
  for (const id of RULESETS) {
    const [english, arabic] = await Promise.all(["en", "ar"].map((language) => textOf(language, id)));
    const shape = (text) => blocks(text).map((block) => (block.kind === "table" ? block.rows.map((row) => row.length) : block.kind));
    assert.deepEqual(shape(arabic), shape(english), id);
    assert.deepEqual(new Set(opened(arabic)), new Set(opened(english)), id);
  }
});

test("each word that a text or an entry opens has an entry, and each entry says something", async () => {
  const english = await textOf("en", "words");
  for (const language of ["en", "ar"]) {
    const words = await textOf(language, "words");
    assert.deepEqual(Object.keys(words), Object.keys(english), language);
    const texts = await Promise.all(RULESETS.map((id) => textOf(language, id)));
    const used = [...texts.flatMap(opened), ...Object.values(words).flatMap(({ see }) => see)];
    assert.deepEqual(used.filter((word) => !(word in words)), []);
    assert.ok(Object.values(words).every(({ name, text }) => name.length > 1 && text.length > 10));
    assert.ok(Object.values(words).every(({ text }) => pieces(text).every(({ kind }) => kind === "text")), "entries are shown as they stand");
  }
});

test("each option of the rules has an entry, and each ruleset tells all of its own", async () => {
  const page = readFileSync(new URL("../../../docs/rules/options.md", import.meta.url), "utf8");
  const [table] = blocks(page).filter(({ kind }) => kind === "table");
  const [head, ...options] = table.rows;
  const words = await textOf("en", "words");
  const nameOf = ([name]) => `option.${name.replaceAll("`", "")}`;
  for (const row of options) assert.ok(nameOf(row) in words, row[0]);
  for (const id of RULESETS) {
    const column = head.indexOf(`\`${id}\``);
    const own = options.filter((row) => row[column] !== "–").map(nameOf);
    const told = opened(await textOf("en", id)).filter((word) => word.startsWith("option."));
    assert.deepEqual(told.sort(), own.sort(), id);
  }
});
