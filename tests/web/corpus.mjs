// The verifier of the web app against the corpus of changed histories: `node corpus.mjs`.
//
// It accepts every sound history. Of the changed ones it finds all rigged deals, all that break a rule of CHECKED, and the
// events of COMPARED that the rules do not make or allow, at the event that the case names. It never reports an event
// before that one. The rules of PARTLY it knows in part. Of the others it promises nothing.

import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { readFileSync } from "node:fs";

import { verify } from "../../web/verify/index.js";
import { RULESETS } from "../../web/verify/rules.js";

const FOLDER = new URL("../fixtures/tampered/", import.meta.url);
const CHECKED = ["canonical", "chain", "order", "commitment", "deal", "head", "salt", "signature", "unfinished"];
const PARTLY = ["actor", "command", "derived", "form", "ruleset", "score", "standings", "time"];
const COMPARED = ["auction_void", "auction_won", "avoid_declared", "deck_cut", "game_started", "opening_failed", "redeal_called", "revoked",
  "round_dealt", "round_folded", "seat_chosen", "seats_drawn", "seed_committed", "seed_opened"];

const file = (name) => readFileSync(new URL(name, FOLDER), "utf8");
const rows = (name) => file(name).trimEnd().split("\n").map((line) => JSON.parse(line));
const keys = JSON.parse(file("jwks.json"));
const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest("hex");

/** The changed history of a case, by the steps that the README of the corpus describes. */
function changed({ history, steps }) {
  let lines = file(history).trimEnd().split("\n");
  for (const step of steps) {
    if (step.line !== undefined) lines.splice(step.line - 1, step.remove, ...step.insert);
    if (step.number) lines = numbered(lines);
    if (step.chain) lines = chained(lines, step.chain);
  }
  return lines.map((line) => `${line}\n`).join("");
}

function numbered(lines) {
  let seq = 0;
  return lines.map((line) => {
    const { event } = JSON.parse(line);
    if (!event) return line;
    seq += 1;
    return JSON.stringify({ event: { seq, hash: event.hash, body: event.body.replace(/\d+(?=\}$)/, seq) } });
  });
}

function chained(lines, signature) {
  let [events, head] = [0, "00".repeat(32)];
  return lines.map((line) => {
    const { event, end } = JSON.parse(line);
    if (event) {
      head = sha256(Buffer.from(head, "hex"), event.body);
      events += 1;
      return JSON.stringify({ event: { seq: event.seq, hash: head, body: event.body } });
    }
    if (!end) return line;
    const standings = end.standings && end.standings.map(({ seat, total, rank }) => ({ seat, total, rank }));
    return JSON.stringify({ end: { events, head, standings, signature: { kid: end.signature.kid, value: signature } } });
  });
}

/** Whether the page claims to find a case. */
function isClaimed({ kind, found: { rule } }) {
  if (CHECKED.includes(rule) || kind === "rigged") return true;
  // Who may command the table is not compared, nor whether a bot or the clock may act.
  const isOfTable = kind === "game_started" && rule !== "derived";
  return COMPARED.includes(kind) && ["command", "derived"].includes(rule) && !isOfTable;
}

const failures = [];

// Every finding has words, in both languages.
const words = await Promise.all(["en", "ar"].map(async (language) => (await import(`../../web/i18n/${language}/records.js`)).default));
const wordless = ({ rule }) => words.some((texts) => !texts[`found.${rule}`]);

// The rules of the app are those of the second verifier, whose table a test of the service writes.
const table = readFileSync(new URL("../verifier/estimation_verify/game.py", import.meta.url), "utf8");
const ids = JSON.parse(/^RULESETS = (.*)$/m.exec(table)[1]);
const json = (text) => JSON.parse(text.replace(/\bTrue\b/g, "true").replace(/\bFalse\b/g, "false").replace(/\bNone\b/g, "null"));
const fields = Object.fromEntries([...table.matchAll(/^ {4}"(\w+)": \((\[.*\]), (\[.*\]), "(.*)"\),$/gm)].map(([, name, ...rest]) => [name, rest]));
if (ids.join() !== Object.keys(RULESETS).join()) failures.push(`the rulesets are ${ids}`);
for (const [at, id] of ids.entries()) {
  for (const [name, values] of Object.entries(RULESETS[id] ?? {})) {
    const [presets, options, known] = fields[name];
    const preset = json(presets)[at];
    const others = name === "players" && id === "nineteen" ? [2, 3, 4, 5] : known.split(" ").includes(id) ? json(options) : [];
    const right = [preset, ...others.filter((value) => value !== preset)];
    if (JSON.stringify(values) !== JSON.stringify(right)) failures.push(`${name} of ${id} is ${values}, not ${right}`);
  }
}

let deals = 0;
for (const { file: name } of rows("sound.ndjson")) {
  const report = await verify(file(name), { keys });
  const found = report.games.flatMap((game) => game.findings);
  deals += report.games.flatMap((game) => game.checks).reduce((sum, check) => sum + (check.id === "deals" ? check.count : 0), 0);
  if (found.length > 0 || report.games.length === 0 || report.isMalformed) failures.push(`${name}: ${JSON.stringify(found.slice(0, 3))}`);
}
console.log(`${rows("sound.ndjson").length} sound histories, ${deals} deals made again`);

const counts = new Map();
for (const one of rows("cases.ndjson")) {
  const text = changed(one);
  if (sha256(text) !== one.sha256) throw new Error(`case ${one.case}: the steps were not followed`);
  const report = await verify(text, { keys });
  const { rule, seq, game } = one.found;
  const findings = report.games.filter(({ id }) => game === null || id === game || report.games.length === 1).flatMap((one) => one.findings);
  const isFound = findings.some((finding) => finding.rule === rule && finding.seq === seq) || (rule === "form" && game === null && report.isMalformed);
  const silent = findings.find(wordless);
  if (silent) failures.push(`case ${one.case}, ${one.what}: there are no words for ${silent.rule}`);
  const early = findings.find((finding) => finding.seq !== null && seq !== null && finding.seq < seq);
  const count = counts.get(rule) ?? { cases: 0, found: 0, claimed: 0 };
  counts.set(rule, { cases: count.cases + 1, found: count.found + Number(isFound), claimed: count.claimed + Number(isClaimed(one)) });
  if (early) failures.push(`case ${one.case}, ${one.what}: ${JSON.stringify(early)} is before ${seq}`);
  if (isClaimed(one) && (!isFound || report.games.some(({ verdict }) => verdict === "sound"))) failures.push(`case ${one.case} (${one.history}), ${one.what}: no ${rule} at ${seq}, but ${JSON.stringify(findings.slice(0, 3))}`);
}
for (const [rule, { cases, found, claimed }] of [...counts].sort()) {
  if (!CHECKED.includes(rule) && !PARTLY.includes(rule)) failures.push(`${rule} is in no list`);
  console.log(`${rule.padEnd(12)} ${String(found).padStart(5)} of ${String(cases).padStart(5)}, ${claimed} claimed`);
}

/** Whether a proof is of a start. */
const isOfStart = (proof) => {
  const { entry = "" } = JSON.parse(atob(/^extra (.*)$/m.exec(proof)?.[1] ?? btoa("{}")));
  return String(entry).includes('"type":"start"');
};

// Single proofs: a player kept one of a start, and one of an end makes a bundle that lacks the start.
const bundle = (lines, proofs) => `${lines.trimEnd()}\n${JSON.stringify({ proofs })}\n`;
for (const { case: number, what, history, proof, log_key: key, status } of rows("proofs.ndjson")) {
  if (key === null) continue;
  const [id, text, kept] = isOfStart(proof)
    ? ["kept", file(history), { start: proof }]
    : ["log", bundle(file(history), { start: null, end: proof, origins: [], log_keys: [key], jwks: keys }), null];
  const { games } = await verify(text, { keys, logKeys: [key], kept });
  const { state } = games[0].checks.find((check) => check.id === id);
  // The browser checks neither witnesses nor the time of the checkpoint.
  const isVisible = !/witness|seconds before/.test(what);
  const isRight = isVisible ? (state === "passed") === (status === 0) : status !== 0 || state === "passed";
  if (!isRight) failures.push(`proof ${number}, ${what}: ${status}, ${JSON.stringify(games[0].findings)}`);
}

// Bundles, with what players kept. The browser knows no pinned witnesses, keeps proofs of starts only, and takes what it kept
// for the service's word, without a signature.
const isOfWitness = (what) => /cosignature|cosigned twice|61 seconds before/.test(what);
const statuses = new Map();
for (const one of rows("bundles.ndjson")) {
  const { case: number, what, history, proofs, log_keys: logKeys, jwks, promises, heads, kept, status } = one;
  // The browser reads no numbers beyond 2^53 - 1.
  if (what === "a kept proof: of the end" || what === "the end is entry 2^53 + 1") continue;
  const lines = one.changed === null ? file(history) : changed(rows("cases.ndjson").find((other) => other.case === one.changed));
  const given = Array.from({ length: Math.max(promises.length, heads.length, kept.length, 1) }, (_, at) => {
    const [seq, hash] = heads[at]?.split("-") ?? [];
    return { log: promises[at]?.log ?? promises[at], head: hash && { seq: Number(seq), hash }, start: kept[at] ?? kept[0] };
  });
  const reports = [];
  for (const kept of given) reports.push(await verify(bundle(lines, proofs), { keys: jwks ? keys : null, logKeys, kept }));
  const games = reports.flatMap((report) => report.games);
  const isSound = games.length === given.length && games.every(({ verdict }) => verdict === "sound") && !reports.some((report) => report.isMalformed);
  const byFile = games.every(({ fileKeys }) => fileKeys.length > 0);
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const isReplaced = logKeys.length === 0 && one.witnesses.length > 0;
  const isRight = {
    0: isSound ? byFile === isReplaced : isReplaced,
    1: !isSound || isOfWitness(what),
    3: !isSound || what.startsWith("a promise"),
    4: isSound && byFile,
    5: isSound,
  }[status] ?? true;
  if (!isRight) failures.push(`bundle ${number}, ${what}: ${status}, ${JSON.stringify(games.flatMap(({ verdict, fileKeys, findings }) => [verdict, fileKeys.length, ...findings.slice(0, 3)]))}`);
}
console.log(`bundles by status: ${[...statuses].sort().map(([status, count]) => `${count} of ${status}`).join(", ")}`);

// Texts that other verifiers refuse, in a bundle that is sound: the verdict of the page.
{
  const { history, proofs } = rows("bundles.ndjson").find(({ status, proofs }) => status === 4 && proofs.start !== null && proofs.origins.length === 0);
  const [name] = proofs.end.split("\n\n")[1].split("\n");
  const own = () => {
    const pair = generateKeyPairSync("ed25519");
    const key = Buffer.concat([Buffer.of(1), Buffer.from(pair.publicKey.export({ format: "jwk" }).x, "base64url")]);
    const id = createHash("sha256").update(`${name}\n`).update(key).digest().subarray(0, 4);
    return { text: `${name}+${id.toString("hex")}+${key.toString("base64")}`,
      line: (text) => `— ${name} ${Buffer.concat([id, sign(null, Buffer.from(text), pair.privateKey)]).toString("base64")}\n` };
  };
  const extra = (proof, change) => proof.replace(/^extra (.*)$/m, (_, value) => `extra ${change(value)}`);
  const verdictOf = async (text) => {
    const { games, isMalformed } = await verify(text);
    return isMalformed ? "malformed" : games.map(({ verdict }) => verdict).join();
  };
  const { end, jwks, log_keys: given } = proofs;
  const key = own();
  // A proof of the start in a log of its own with the same name: one leaf.
  const entry = JSON.parse(atob(/^extra (.*)$/m.exec(proofs.start)[1])).entry;
  const leaf = createHash("sha256").update(Buffer.of(0)).update(entry).digest("base64");
  const invented = `${name}\n1\n${leaf}\n`;
  const start = `c2sp.org/tlog-proof@v1\nextra ${btoa(JSON.stringify({ entry, salt: null }))}\nindex 0\n\n${invented}\n${key.line(invented)}`;
  for (const [what, expected, changes] of [
    ["nothing", "sound", {}],
    ["a byte order mark before the opened entry", "broken", { end: extra(end, (value) => Buffer.concat([Buffer.from("\ufeff"), Buffer.from(value, "base64")]).toString("base64")) }],
    ["extra data that are not base64", "unchecked", { end: extra(end, (value) => value.replace(/.{4}$/, "QQ")) }],
    ["a space before a hash", "unchecked", { end: end.replace(/^(index .*\n)/m, "$1 ") }],
    ["no proof", "unchecked", { end: "nonsense" }],
    ["no start", "unchecked", { start: "nonsense" }],
    ["a number among the record keys", "unchecked", { jwks: { keys: [...jwks.keys, 5] } }],
    ["a list among the record keys", "unchecked", { jwks: { keys: [...jwks.keys, []] } }],
    ["a key of the same name that did not sign", "sound", { log_keys: [key.text, ...given] }],
    ["a start in a log of its own", "sound", { start, log_keys: [...given, key.text] }],
    ["a start in a log of its own, without its key", "unchecked", { start }],
  ]) {
    const verdict = await verdictOf(bundle(file(history), { ...proofs, ...changes }));
    if (verdict !== expected) failures.push(`a bundle with ${what}: ${verdict}, not ${expected}`);
  }
  // The first of two keys of one name that has a line decides.
  const wrong = own();
  const misled = (proof) => `${proof}${wrong.line("another text")}`;
  for (const [keys, expected] of [[[...given, wrong.text], "sound"], [[wrong.text, ...given], "broken"]]) {
    const verdict = await verdictOf(bundle(file(history), { ...proofs, end: misled(end), log_keys: keys }));
    if (verdict !== expected) failures.push(`a wrong line of a second key: ${verdict}, not ${expected}`);
  }
  const [{ fileKeys }] = (await verify(bundle(file(history), { ...proofs, start, log_keys: [...given, key.text] }))).games;
  if (fileKeys.length !== 3 || fileKeys[2] !== key.text) failures.push(`the keys of the file for a start in a log of its own are ${fileKeys}`);
  const text = bundle(file(history), proofs);
  for (const [what, changed] of [["status", text.replace('{"header":{', '{"header":{"status":"running",')], ["body", text.replace('{"event":{', '{"event":{"body":"{}",')],
    ["header", text.replace('{"header":', '{"header":{},"header":')], ["end", text.replace('{"proofs":{', '{"proofs":{"end":"x",')]]) {
    const verdict = await verdictOf(changed);
    if (changed === text || verdict === "sound") failures.push(`two members ${what}: ${verdict}`);
  }
  // A log that was written again after the player had opened a seed.
  const events = file(history).trimEnd().split("\n").flatMap((line) => JSON.parse(line).event ?? []);
  const heads = events.slice(0, 2).map(({ seq, hash }) => ({ seq, hash }));
  for (const [openings, expected] of [[heads, "sound"], [[heads[0], { ...heads[1], hash: "0".repeat(64) }], "broken"]]) {
    const { games } = await verify(text, { kept: { openings } });
    if (games[0].verdict !== expected) failures.push(`kept heads of openings: ${games[0].verdict}, not ${expected}`);
  }
}

console.log(failures.slice(0, 40).join("\n") || "all is well");
console.log(`${failures.length} failures`);
process.exit(failures.length > 0 ? 1 : 0);
