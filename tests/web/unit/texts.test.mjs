// Every text that a module names exists, in both languages, and no text is left that nothing names.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const WEB = new URL("../../../web/", import.meta.url);
const modules = readdirSync(WEB, { recursive: true }).filter((name) => name.endsWith(".js") && !/^(vendor|i18n|learn.texts)/.test(name));
const code = modules.map((name) => readFileSync(new URL(name.replaceAll("\\", "/"), WEB), "utf8")).join("\n");

for (const language of ["en", "ar"]) {
  test(`the texts of ${language} are those that modules name`, async () => {
    const folder = new URL(`i18n/${language}/`, WEB);
    const keys = (await Promise.all(readdirSync(folder).map(async (area) => Object.keys((await import(new URL(area, folder))).default)))).flat();
    assert.deepEqual(keys, [...new Set(keys)], "a text stands in two areas");
    const named = [...code.matchAll(/\bt\("([^"]+)"/g)].map(([, key]) => key);
    assert.deepEqual([...new Set(named)].filter((key) => !keys.includes(key)), [], "modules name them");
    // Of some keys, modules compute the end: the words of an event, or what a setting is about.
    const begun = [...code.matchAll(/`([a-z]+\.(?:[a-z]+\.)?)\$\{/g)].map(([, begin]) => begin);
    const isNamed = (key) => [key, key.replace(/About$/, "")].some((name) => code.includes(`"${name}"`)) || begun.some((begin) => key.startsWith(begin));
    assert.deepEqual(keys.filter((key) => !isNamed(key)), [], "no module names them");
  });
}
