// Why a card or a call is not allowed, in words.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { loadLanguage, setLanguage } from "../../../web/i18n/index.js";
import { reason } from "../../../web/learn/reasons.js";

globalThis.document ??= { documentElement: {} };
await loadLanguage();

test("a reason has the data of its problem", () => {
  assert.equal(reason({ code: "must-follow-suit", members: { led: "clubs" } }), "You must follow ♣ clubs.");
  assert.match(reason({ code: "total-barred", members: { barred: 3, total: 13 } }), /13.*3/);
  assert.match(reason({ code: "bid-too-low", members: { tricks: 5, trump: "hearts" } }), /5 ♥ hearts/);
  assert.match(reason({ code: "bid-too-low", members: { tricks: 5, trump: "no_trump" } }), /5 no trump/);
  assert.notEqual(reason({ code: "wrong-phase", members: { phase: "play" } }), reason({ code: "wrong-phase", members: { phase: "auction" } }));
  assert.match(reason({ code: "trump-change-barred", members: { changed: { tricks: 8, trump: "spades" } } }), /8 ♠ spades/);
  assert.doesNotMatch(reason({ code: "trump-change-barred", members: { changed: null } }), /\{|undefined/);
});

test("a phase without words of its own has those of all phases", () => {
  assert.equal(reason({ code: "wrong-phase", members: { phase: "something-new" } }), reason({ code: "wrong-phase", members: {} }));
});

test("a problem that is none of the rules has no reason", () => {
  assert.equal(reason({ code: "too-many-requests", members: {} }), null);
});

test("each rejection of a command of play has a sentence in both languages", async () => {
  const rejections = readFileSync(new URL("../../../crates/engine/src/rejection.rs", import.meta.url), "utf8");
  const explained = rejections.slice(rejections.indexOf("fn explain"));
  const names = new Set([...explained.matchAll(/Rejection::(\w+)/g)].map(([, name]) => name));
  assert.ok(names.size > 15);
  const codes = readFileSync(new URL("../../../crates/service/src/base/failure/table.rs", import.meta.url), "utf8");
  for (const language of ["en", "ar"]) {
    await setLanguage(language);
    for (const name of names) {
      const [, code] = new RegExp(`\\b${name}\\b[^"]*"([^"]+)"`).exec(codes) ?? [];
      assert.ok(reason({ code, members: {} }), `${language}: ${name} ${code}`);
    }
  }
});
