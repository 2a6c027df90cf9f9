// The server leaves out comments of modules and style sheets, and nothing else, and what browsers load of the app keeps within
// bounds: `node served.mjs URL`. To compare them, esbuild writes both forms again without comments and spaces.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { get } from "node:http";

import { transform } from "esbuild";

const [url] = process.argv.slice(2);
const folder = /src="(\/web\/[0-9a-f]+\/)main\.js"/.exec(await (await fetch(`${url}/`)).text())[1];
const listed = await (await fetch(`${url}${folder}files.json`)).json();
// The list is that of players. The page of the desk names the rest.
const linked = [...(await (await fetch(`${url}/desk`)).text()).matchAll(/"\/web\/[0-9a-f]+\/([^"]+)"/g)].map(([, name]) => name);
const all = [...new Set([...listed, ...linked])];
const names = all.filter((name) => /\.(js|css)$/.test(name));

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

/** Of what the app is, the most bytes that travel with brotli, with gzip, and without either. */
const BOUNDS = {
  "the app": { br: 192_000, gzip: 206_000, identity: 525_000 },
  "texts of rules and faces of cards": { br: 48_000, gzip: 51_000, identity: 171_000 },
  "the desk": { br: 23_000, gzip: 25_000, identity: 66_000 },
};

/** What a file is a part of: most players never load the desk, and load the rules when they ask for them. */
function partOf(name) {
  if (/^desk\/|\/desk\.(js|css)$/.test(name)) return "the desk";
  return /^learn\/texts\/|^cards\/(courts|pips|back)/.test(name) ? "texts of rules and faces of cards" : "the app";
}

/** The bytes of a file in an encoding, as they arrive. */
const arriving = (name, encoding) =>
  new Promise((resolve, reject) => {
    get(`${url}${folder}${name}`, { headers: { "Accept-Encoding": encoding } }, async (answer) => {
      let bytes = 0;
      for await (const piece of answer) bytes += piece.length;
      resolve(bytes);
    }).on("error", reject);
  });

for (const [part, bounds] of Object.entries(BOUNDS)) {
  const sums = {};
  for (const encoding of Object.keys(bounds)) {
    sums[encoding] = 0;
    for (const name of all.filter((one) => partOf(one) === part)) sums[encoding] += await arriving(name, encoding);
  }
  console.log(`${part}: ${JSON.stringify(sums)} bytes`);
  for (const [encoding, bound] of Object.entries(bounds)) assert.ok(sums[encoding] <= bound, `${part}: ${sums[encoding]} bytes ${encoding}`);
}
