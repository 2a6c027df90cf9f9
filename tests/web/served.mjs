// The server leaves out comments of modules and style sheets, and nothing else: `node served.mjs URL`. Both forms are read by
// esbuild, which writes them again without comments and spaces.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import { transform } from "esbuild";

const [url] = process.argv.slice(2);
const folder = /src="(\/web\/[0-9a-f]+\/)main\.js"/.exec(await (await fetch(`${url}/`)).text())[1];
const listed = await (await fetch(`${url}${folder}files.json`)).json();
// The list is that of players. The page of the desk names the rest.
const linked = [...(await (await fetch(`${url}/desk`)).text()).matchAll(/"\/web\/[0-9a-f]+\/([^"]+)"/g)].map(([, name]) => name);
const names = [...new Set([...listed, ...linked])].filter((name) => /\.(js|css)$/.test(name));

/** A source as esbuild writes it. */
async function read(source, name) {
  const settings = { loader: name.split(".").at(-1), minifyWhitespace: true, legalComments: "none", sourcefile: name, logLevel: "error" };
  return (await transform(source, settings)).code;
}

let [written, sent] = [0, 0];
for (const name of names) {
  const source = await readFile(`../../web/${name}`, "utf8");
  const served = await (await fetch(`${url}${folder}${name}`)).text();
  assert.equal(await read(served, name), await read(source, name), name);
  [written, sent] = [written + source.length, sent + served.length];
}
assert.ok(sent < 0.9 * written, "comments are served");
console.log(`${names.length} modules and style sheets of ${written} bytes are served in ${sent}`);
