// Nested, endless and broken files: `node broken.mjs`. The verifier reports a finding and never throws, whatever a file has.

import { readFileSync } from "node:fs";

import { verify } from "../../web/verify/index.js";

const FOLDER = new URL("../fixtures/tampered/", import.meta.url);
const text = (name) => readFileSync(new URL(name, FOLDER), "utf8");
const keys = JSON.parse(text("jwks.json"));
const nested = (depth, open = "[", close = "]") => open.repeat(depth) + close.repeat(depth);
const VALUES = [null, true, 0, 1, -1, 1.5, 2 ** 53, 1e300, "", "x", "\ud800", "0".repeat(64), [], [0], [null], [[]], [{}], {}, { "": {} }, { length: 4 },
  Array(300).fill(0), "x".repeat(100_000)];
const NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty"];

const failures = [];
let files = 0;

/** Verifies a file. `isWrong`: a finding is expected. */
async function check(what, file, isWrong, given = keys, kept = null) {
  files += 1;
  try {
    const { games, isMalformed } = await verify(file, { keys: given, kept });
    const isFound = isMalformed || games.some(({ findings }) => findings.length > 0);
    if (isWrong && !isFound && games.length > 0) failures.push(`${what}: nothing is found`);
    if (games.some(({ findings }) => findings.length > 51)) failures.push(`${what}: too many findings`);
  } catch (error) {
    failures.push(`${what}: ${error}`);
  }
}

/** The paths of all values in a value. */
const paths = (value, path = []) =>
  [path, ...(typeof value === "object" && value !== null ? Object.entries(value).flatMap(([key, item]) => paths(item, [...path, key])) : [])];

/** A value with another value at a path; without the member if that is undefined. */
function put(value, [key, ...rest], other) {
  if (key === undefined) return other;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  if (rest.length === 0 && other === undefined) delete copy[key];
  else copy[key] = put(copy[key], rest, other);
  return copy;
}

// Every member of every kind of event, and of the pieces, in the shortest history that has it.
const sound = text("sound.ndjson").trimEnd().split("\n").map((line) => JSON.parse(line).file).filter((name) => name !== "one-object.ndjson");
const histories = sound.map((name) => ({ name, lines: text(name).trimEnd().split("\n") })).sort((one, other) => one.lines.length - other.lines.length);
const known = new Set();
for (const { name, lines } of histories) {
  for (const [at, line] of lines.entries()) {
    const piece = JSON.parse(line);
    const body = piece.event && JSON.parse(piece.event.body);
    const change = async (what, changed, file) => {
      await check(`${name}, line ${at + 1}, ${what}: ${JSON.stringify(changed)?.slice(0, 40)}`, file.join("\n"), false);
    };
    for (const path of paths(body ?? piece)) {
      const kind = `${body?.event.type ?? Object.keys(piece)[0]} ${path.map((key) => (/^\d+$/.test(key) ? "0" : key)).join("/")}`;
      if (known.has(kind)) continue;
      known.add(kind);
      for (const value of [undefined, ...VALUES, ...NAMES]) {
        const changed = put(body ?? piece, path, value);
        const written = body ? JSON.stringify({ event: { ...piece.event, body: JSON.stringify(changed) ?? "" } }) : JSON.stringify(changed) ?? "";
        // What follows shows nothing new once the event is far behind.
        await change(kind, value, [...lines.slice(0, at), written, ...lines.slice(at + 1, at + 20), lines.at(-1)]);
      }
    }
    if (body && !known.has("line")) {
      known.add("line");
      for (const member of ["seq", "hash", "body"]) {
        for (const value of [undefined, ...VALUES]) {
          await change(member, value, lines.with(at, JSON.stringify({ event: put(piece.event, [member], value) })));
        }
      }
    }
  }
}
console.log(`${known.size} members, ${files} files`);

// Nested, endless and broken files.
const lines = text("expired-table.ndjson").trimEnd().split("\n");
const whole = text("one-object.ndjson").trimEnd();
for (const depth of [100, 5_000, 200_000]) {
  for (const deep of [nested(depth), nested(depth, '{"a":', "}").replace(":}", ":0}")]) {
    await check(`${depth} deep`, deep, true);
    await check(`a body ${depth} deep`, lines.with(1, JSON.stringify({ event: { seq: 1, hash: "00", body: deep } })).join("\n"), true);
    const inside = JSON.parse(lines[1]).event.body.replace('"type"', `"deep":${deep},"type"`);
    await check(`an event ${depth} deep`, lines.with(1, JSON.stringify({ event: { seq: 1, hash: "00", body: inside } })).join("\n"), true);
    await check(`an end ${depth} deep`, lines.with(-1, lines.at(-1).replace("null", deep)).join("\n"), true);
    await check(`an object ${depth} deep`, whole.replace('"events":[', `"events":[${deep},`), true);
  }
}
await check("the same event without end", [lines[0], ...Array(50_000).fill(lines[1])].join("\n"), true);
await check("headers without end", Array(20_000).fill(lines[0]).join("\n"), true);
await check("a long body", lines.with(1, JSON.stringify({ event: { seq: 1, hash: "00", body: "[".repeat(20_000_000) } })).join("\n"), true);
await check("a long list", `[${"0,".repeat(2_000_000)}0]`, true);
await check("many members", `{${Array.from({ length: 200_000 }, (_, at) => `"${at}":0`).join()}}`, true);
await check("zeros", "\0".repeat(1_000_000), true);
for (let length = 0; length < whole.length; length += 7) await check(`the first ${length} characters`, whole.slice(0, length), true);
for (const file of ["", " ", "null", "0", '""', "[]", "{}", "\ufeff", "{", "\ud800", "1e999", '{"header":null}', '{"end":null}', '{"event":null}', '{"events":[]}']) {
  await check(file, file, false);
  await check(`${file} after a header`, `${lines[0]}\n${file}\n`, true);
}
for (const jwks of [...VALUES, ...VALUES.map((value) => ({ keys: value })), ...VALUES.map((value) => ({ keys: [value] })),
  ...VALUES.map((x) => ({ keys: [{ ...keys.keys[0], x }] }))]) await check(`the keys ${JSON.stringify(jwks)?.slice(0, 60)}`, lines.join("\n"), false, jwks);

// Bundles: every member of the proofs, and texts of proofs that are nested, endless, or break off.
const cases = text("bundles.ndjson").trimEnd().split("\n").map((line) => JSON.parse(line));
const proved = cases.find(({ status, proofs }) => status === 4 && proofs.origins.length > 1);
if (proved) {
  const history = text(proved.history).trimEnd();
  const bundle = (proofs) => `${history}\n${JSON.stringify({ proofs })}\n`;
  const { games } = await verify(bundle(proved.proofs));
  if (games[0].verdict !== "sound") failures.push("the bundle is not sound");
  for (const path of paths(proved.proofs)) {
    for (const value of [undefined, ...VALUES, ...NAMES]) {
      // Any change of a proof is found. Keys may be others that are not used.
      const isWrong = !["log_keys", "jwks"].includes(path[0]) || path.length === 1;
      await check(`proofs/${path.join("/")}: ${JSON.stringify(value)?.slice(0, 40)}`, bundle(put(proved.proofs, path, value)), isWrong, null);
    }
  }
  const extra = (json) => `extra ${Buffer.from(json).toString("base64")}\n`;
  for (const path of [["start"], ["end"], ["origins", 0], ["origins", 1]]) {
    const proof = path.reduce((value, key) => value[key], proved.proofs);
    const change = (what, changed, isWrong = true) => check(`${path.join("/")}: ${what}`, bundle(put(proved.proofs, path, changed)), isWrong, null);
    for (let length = 0; length < proof.length; length += 11) {
      // A proof with fewer cosignatures is a proof.
      const part = proof.slice(0, length);
      await change(`the first ${length} characters`, part, !part.endsWith("\n"));
    }
    for (const depth of [100, 5_000, 200_000]) {
      const deep = nested(depth);
      await change(`an entry ${depth} deep`, proof.replace(/extra .*\n/, extra(`{"entry":"${deep}","salt":null}`)));
      await change(`extra data ${depth} deep`, proof.replace(/extra .*\n/, extra(`{"entry":"{}","salt":${deep}}`)));
    }
    await change("a path without end", proof.replace("\n\n", `\n${`${"A".repeat(43)}=\n`.repeat(100_000)}\n`));
    await change("signatures without end", proof + `— a AAAAAAAA\n`.repeat(100_000));
    await change("a long index", proof.replace(/index \d+/, `index ${"9".repeat(100_000)}`));
    await change("a long origin", proof.replace("\n\n", `\n\n${"x".repeat(10_000_000)}`));
  }
  for (const depth of [100, 5_000, 200_000]) {
    const deep = nested(depth);
    await check(`proofs ${depth} deep`, `${history}\n{"proofs":${deep}}`, true);
    await check(`proofs ${depth} deep in one object`, whole.replace(/\}$/, `,"proofs":${deep}}`), true);
  }
  await check("proofs twice", `${bundle(proved.proofs)}${JSON.stringify({ proofs: proved.proofs })}\n`, true, null);
  await check("proofs alone", JSON.stringify({ proofs: proved.proofs }), true, null);
  await check("proofs before the end", `${history.slice(0, history.lastIndexOf("\n"))}\n${JSON.stringify({ proofs: proved.proofs })}`, true, null);
  for (const kept of [...VALUES.flatMap((value) => [{ log: value }, { head: value }, { start: value }, { head: { seq: 1, hash: value } }])]) {
    await check(`kept ${JSON.stringify(kept).slice(0, 60)}`, bundle(proved.proofs), false, null, kept);
  }
}

console.log(failures.slice(0, 40).join("\n") || "all is well");
console.log(`${files} files, ${failures.length} failures`);
process.exit(failures.length > 0 ? 1 : 0);
