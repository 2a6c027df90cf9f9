// Imports lead in one direction: nothing that a module needs imports this module, nor does what a folder needs import that folder.
// Late imports count as well. The files directly in `web` stand for themselves.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const WEB = fileURLToPath(new URL("../../../web", import.meta.url));

/** Those of the pairs that are part of a circle, each once. */
function circles(pairs) {
  const used = {};
  for (const [user, one] of pairs) (used[user] ??= []).push(one);
  const reached = (user, found = new Set()) => {
    for (const one of used[user] ?? []) if (!found.has(one)) reached(one, found.add(one));
    return found;
  };
  return [...new Set(pairs.filter(([user, one]) => reached(one).has(user)).map((pair) => pair.join(" imports ")))];
}

/** All imports, each a pair of names below `web`, as esbuild reads them. */
async function imports() {
  const settings = { bundle: true, format: "esm", splitting: true, outdir: "none", write: false, metafile: true, logLevel: "error" };
  const { metafile } = await build({ ...settings, absWorkingDir: WEB, entryPoints: ["main.js"], target: "esnext" });
  return Object.entries(metafile.inputs).flatMap(([user, { imports }]) => imports.map(({ path }) => [user, path]));
}

test("a circle is found, without what leads to it and from it", () => {
  assert.deepEqual(circles([["a", "b"], ["b", "c"], ["x", "a"], ["c", "y"]]), []);
  assert.deepEqual(circles([["a", "b"], ["b", "c"], ["c", "a"], ["x", "a"], ["c", "y"]]), ["a imports b", "b imports c", "c imports a"]);
});

test("no module imports itself through others", async () => {
  const all = await imports();
  assert.ok(all.some(([user, one]) => user === "router.js" && one === "pages/home.js"));
  assert.equal(circles(all).length, 0, circles(all).join("\n"));
});

test("no folder imports itself through others", async () => {
  const folders = (await imports()).map((pair) => pair.map((name) => name.split("/")[0])).filter(([user, one]) => user !== one);
  assert.equal(circles(folders).length, 0, circles(folders).join("\n"));
});
