// A proof that a log has an entry (c2sp.org/tlog-proof), and the signed checkpoint in it.

import { canonical, hex, isHex, isSigned, isSoundJson, joined, sha256, unbase64, unhex, utf8 } from "./bytes.js";

/** Size and root of a log as a signed note. @typedef {{ origin: string, size: number, root: string, text: string, signatures: { name: string, id: string, value: Uint8Array }[] }} Checkpoint */
/** An entry that a checkpoint has, with the hash of its leaf. @typedef {{ entry: any, isSealed: boolean, leaf: string, index: number, checkpoint: Checkpoint }} Proven */

/** A text that has the form of a proof. Nothing in it is verified. @typedef {{ extra: Uint8Array, index: number, path: Uint8Array[], checkpoint: Checkpoint }} ProofFile */

const HEAD = /^c2sp\.org\/tlog-proof@v1\n(?:extra (.*)\n)?index (0|[1-9]\d*)(?:\n([^]+))?$/;
const TEXT = /^([^\s+]+)\n(0|[1-9]\d*)\n(\S+)\n$/;
const SIGNATURE = /^— (\S+) (\S+)$/;

/** The maximum length of a proof. */
const LONGEST = 262_144;

/** @param {Uint8Array} left @param {Uint8Array} right */
const node = (left, right) => sha256(joined(Uint8Array.of(1), left, right));

/** @param {string} proof @returns {ProofFile | null} null if the text is no proof */
export function read(proof) {
  try {
    const at = proof.indexOf("\n\n");
    const [, extra = "", index, path] = HEAD.exec(proof.slice(0, at)) ?? [];
    if (proof.length > LONGEST || !Number.isSafeInteger(Number(index))) return null;
    const hashes = path ? path.split("\n").map(unbase64) : [];
    return { extra: unbase64(extra), index: Number(index), path: hashes, checkpoint: checkpointOf(proof.slice(at + 2)) };
  } catch {
    return null;
  }
}

/** @param {ProofFile} file @returns {Proven | null} null if the proof does not show that its checkpoint has its entry; signatures are not verified */
export function proven(file) {
  try {
    return checked(file);
  } catch {
    return null;
  }
}

/** @param {ProofFile} file @returns {Proven | null} */
function checked({ extra, index, path, checkpoint }) {
  const extraText = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(extra);
  const { entry, salt } = JSON.parse(extraText);
  if (canonical({ entry, salt }) !== extraText || typeof entry !== "string" || !(salt === null || isHex(salt, 64))) return null;
  const value = JSON.parse(entry);
  if (!isSoundJson(value) || canonical(value) !== entry) return null;
  const isSealed = salt !== null;
  const logged = isSealed ? canonical({ hash: hex(sha256(joined(unhex(salt), utf8(entry)))), type: "sealed" }) : entry;
  const leaf = sha256(joined(Uint8Array.of(0), utf8(logged)));
  const isContained = hex(rootOf(leaf, index, checkpoint.size, path)) === checkpoint.root;
  return isContained ? { entry: value, isSealed, leaf: hex(leaf), index, checkpoint } : null;
}

/** @param {string} note @returns {Checkpoint} @throws {Error} if the note is no checkpoint */
export function checkpointOf(note) {
  const at = note.lastIndexOf("\n\n") + 1;
  const text = note.slice(0, at);
  const [, origin, size, root] = TEXT.exec(text) ?? [];
  const lines = note.slice(at + 1).split("\n");
  const isForm = lines.pop() === "" && lines.every((line) => SIGNATURE.test(line)) && Number.isSafeInteger(Number(size));
  if (!isForm || origin === undefined || root === undefined) throw new Error("not a checkpoint");
  const signatures = lines.map((line) => {
    const [, name = "", value = ""] = SIGNATURE.exec(line) ?? [];
    const bytes = unbase64(value);
    return { name, id: hex(bytes.slice(0, 4)), value: bytes.slice(4) };
  });
  return { origin, size: Number(size), root: hex(unbase64(root)), text, signatures };
}

/**
 * @param {Checkpoint} checkpoint
 * @param {string} key a verifier key: name+id+base64
 * @returns {boolean | null} whether the signature is right; null if the log of the checkpoint did not sign with this key
 */
export function isSignedBy({ origin, text, signatures }, key) {
  const [name, id, ...rest] = key.trim().split("+");
  try {
    const bytes = unbase64(rest.join("+"));
    const isOfLog = name === origin && bytes[0] === 1 && hex(sha256(joined(utf8(`${name}\n`), bytes))).slice(0, 8) === id;
    const [own, ...others] = isOfLog ? signatures.filter((one) => one.name === name && one.id === id) : [];
    return own ? others.length === 0 && isSigned(own.value, utf8(text), bytes.slice(1)) : null;
  } catch {
    return null;
  }
}

/** The root that a path gives (RFC 9162, 2.1.3.2). @param {Uint8Array} leaf @param {number} index @param {number} size @param {Uint8Array[]} path */
function rootOf(leaf, index, size, path) {
  if (index >= size) throw new Error("the log is shorter");
  let [own, last, hash] = [index, size - 1, leaf];
  for (const sibling of path) {
    if (last === 0) throw new Error("the path is too long");
    if (own % 2 === 1 || own === last) {
      hash = node(sibling, hash);
      while (own % 2 === 0 && own !== 0) [own, last] = [own / 2, Math.floor(last / 2)];
    } else {
      hash = node(hash, sibling);
    }
    [own, last] = [Math.floor(own / 2), Math.floor(last / 2)];
  }
  if (last !== 0) throw new Error("the path is too short");
  return hash;
}
