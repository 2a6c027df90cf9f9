// A proof that a log has an entry (c2sp.org/tlog-proof), and the signed checkpoint in it.

import {
  canonical,
  hex,
  isHex,
  isSigned,
  isText,
  nullOr,
  objectOf,
  parsed,
  sha256,
  tried,
  unbase64,
  unhex,
  utf8,
} from "./values.js";

/** Size and root of a log as a signed note. @typedef {ReturnType<typeof checkpointOf>} Checkpoint */
/** An entry that a checkpoint has, with the hash of its leaf. @typedef {ReturnType<typeof entryOf>} Proven */

const HEAD = /^c2sp\.org\/tlog-proof@v1\n(?:extra (.*)\n)?index (0|[1-9]\d*)(?:\n([^]+))?$/;
const TEXT = /^([^\s+]+)\n(0|[1-9]\d*)\n(\S+)\n$/;
const SIGNATURE = /^— (\S+) (\S+)$/;

const isOpening = objectOf({ entry: isText, salt: nullOr(isHex(64)) });

/** The maximum length of a proof. */
const LONGEST = 262_144;

/** What a proof shows, or the rule that it breaks. Signatures are not verified. @param {string} proof */
export function proven(proof) {
  const file = tried(() => fileOf(proof));
  return file ? (tried(() => entryOf(file)) ?? "log") : "proofs-form";
}

/** @param {string} proof @throws {Error} if the text does not have the form of a proof */
function fileOf(proof) {
  const at = proof.indexOf("\n\n");
  const [, extra = "", index, path] = HEAD.exec(proof.slice(0, at)) ?? [];
  if (proof.length > LONGEST || !Number.isSafeInteger(Number(index))) throw new Error("not a proof");
  const hashes = path ? path.split("\n").map(unbase64) : [];
  return { extra: unbase64(extra), index: Number(index), hashes, checkpoint: checkpointOf(proof.slice(at + 2)) };
}

/** @param {ReturnType<typeof fileOf>} file @throws {Error} if the checkpoint does not have the entry */
function entryOf({ extra, index, hashes, checkpoint }) {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(extra);
  const opening = parsed(text);
  if (!isOpening(opening) || canonical(opening) !== text) throw new Error("no entry");
  const entry = parsed(opening.entry);
  if (canonical(entry) !== opening.entry) throw new Error("the entry is not canonical");
  const isSealed = opening.salt !== null;
  const sealed = () => canonical({ hash: hex(sha256(unhex(opening.salt), utf8(opening.entry))), type: "sealed" });
  const leaf = sha256(Uint8Array.of(0), utf8(isSealed ? sealed() : opening.entry));
  if (hex(rootOf(leaf, index, checkpoint.size, hashes)) !== checkpoint.root) throw new Error("another root");
  return { entry, isSealed, leaf: hex(leaf), index, checkpoint };
}

/** @param {string} note @throws {Error} if it is no checkpoint */
export function checkpointOf(note) {
  const at = note.lastIndexOf("\n\n") + 1;
  const text = note.slice(0, at);
  const [, origin = "", size, root = ""] = TEXT.exec(text) ?? [];
  const lines = note.slice(at + 1).split("\n");
  if (lines.pop() !== "" || !Number.isSafeInteger(Number(size))) throw new Error("not a checkpoint");
  const signatures = lines.map((line) => {
    const [, name, value] = SIGNATURE.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error("not a signature");
    const bytes = unbase64(value);
    return { name, id: hex(bytes.slice(0, 4)), value: bytes.slice(4) };
  });
  return { origin, size: Number(size), root: hex(unbase64(root)), text, signatures };
}

/**
 * Whether a signature is right; null if the log of the checkpoint did not sign with this key.
 * @param {Checkpoint} checkpoint @param {string} key a verifier key: name+id+base64
 */
export function isSignedBy({ origin, text, signatures }, key) {
  const [name, id, ...rest] = key.trim().split("+");
  const bytes = tried(() => unbase64(rest.join("+")));
  const isOfLog = name === origin && bytes?.[0] === 1 && hex(sha256(utf8(`${name}\n`), bytes)).slice(0, 8) === id;
  const [own, ...others] = isOfLog ? signatures.filter((one) => one.name === name && one.id === id) : [];
  return own && bytes ? others.length === 0 && isSigned(own.value, utf8(text), bytes.slice(1)) : null;
}

/**
 * The root that a path gives (RFC 9162, 2.1.3).
 * @param {Uint8Array} leaf @param {number} index @param {number} size of the tree @param {Uint8Array[]} path @returns {Uint8Array}
 */
function rootOf(leaf, index, size, path) {
  const sibling = path.at(-1);
  if (size === 1 && index === 0 && !sibling) return leaf;
  if (size <= 1 || !sibling) throw new Error("the path is not one of this leaf");
  // The left subtree is the largest complete one that is smaller than the tree.
  let left = 1;
  while (2 * left < size) left *= 2;
  const isLeft = index < left;
  const own = rootOf(leaf, isLeft ? index : index - left, isLeft ? left : size - left, path.slice(0, -1));
  return sha256(Uint8Array.of(1), ...(isLeft ? [own, sibling] : [sibling, own]));
}
