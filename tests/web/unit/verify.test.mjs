// A file that breaks off is told from one that was changed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { verify } from "../../../web/verify/index.js";

const FOLDER = new URL("../../fixtures/tampered/", import.meta.url);
const text = (name) => readFileSync(new URL(name, FOLDER), "utf8");
const keys = JSON.parse(text("jwks.json"));
const whole = text("plain.ndjson").trimEnd();
const lines = whole.split("\n");
const verdicts = async (file) => (await verify(file, { keys })).games.map(({ verdict }) => verdict);

test("a whole history is sound", async () => {
  assert.deepEqual(await verdicts(whole), ["sound"]);
});

test("a history that breaks off is cut, between two lines and within one", async () => {
  for (const part of [lines.slice(0, -1).join("\n"), `${lines.slice(0, 20).join("\n")}\n`, whole.slice(0, -5), whole.slice(0, whole.length >> 1)]) {
    assert.deepEqual(await verdicts(part), ["cut"], part.slice(-60));
  }
});

test("a history that was changed and breaks off is broken", async () => {
  const changed = lines.toSpliced(5, 1).join("\n");
  assert.deepEqual(await verdicts(changed.slice(0, changed.length >> 1)), ["broken"]);
});

test("what does not break off is broken, not cut", async () => {
  assert.deepEqual(await verdicts(`${lines.slice(0, 20).join("\n")}\nnothing`), ["broken"], "a line that is no beginning");
  assert.deepEqual(await verdicts(lines.toSpliced(-2, 1).join("\n")), ["broken"], "the last event is missing");
  assert.deepEqual(await verdicts(`${lines.slice(0, -1).join("\n")}\n${whole}`), ["broken", "sound"], "the first of two has no end");
  assert.deepEqual(await verdicts(lines.with(10, lines[10].slice(0, -5)).join("\n")), ["broken"], "a line in the middle is cut");
});

test("a file that breaks off before its first event is cut", async () => {
  const object = text("one-object.ndjson").trimEnd();
  for (const part of [whole.slice(0, 40), object.slice(0, object.length >> 1), object.slice(0, -1)]) {
    const { games, isMalformed, isCut } = await verify(part, { keys });
    assert.deepEqual([games.length, isMalformed, isCut], [0, true, true]);
  }
  const { isMalformed, isCut } = await verify(`${object}}`, { keys });
  assert.deepEqual([isMalformed, isCut], [true, false]);
});
