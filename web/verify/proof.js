// Proofs that the public log has the start or the end of a game: c2sp.org/tlog-proof, and docs/specification.md, "The public log".

import { canonical, hex, isHex, isSigned, joined, sha256, unbase64, unhex, utf8 } from "./bytes.js";

const SIGNATURE = /^— (\S+) (\S+)$/;

/** @param {Uint8Array} left @param {Uint8Array} right */
const node = (left, right) => sha256(joined(Uint8Array.of(1), left, right));

/** An entry that the log has, with the hash of its leaf. @typedef {{ said: any, leaf: string }} LogEntry */

/**
 * @param {string} proof
 * @param {string} key the log's verifier key: name+id+base64
 * @returns {LogEntry | null} the entry that the proof shows in the log of this key; null if it shows none
 */
export function entryOf(proof, key) {
  try {
    return check(proof, key);
  } catch {
    return null;
  }
}

/** @param {string} proof @param {string} key @returns {LogEntry | null} */
function check(proof, key) {
  const [head, ...rest] = proof.split("\n\n");
  const [format, extra, index, ...path] = (head ?? "").split("\n");
  const note = rest.join("\n\n");
  if (format !== "c2sp.org/tlog-proof@v1" || !extra?.startsWith("extra ") || !/^index \d+$/.test(index ?? "")) return null;
  const extraText = new TextDecoder("utf-8", { fatal: true }).decode(unbase64(extra.slice(6)));
  const { entry, salt } = JSON.parse(extraText);
  if (canonical({ entry, salt }) !== extraText || typeof entry !== "string" || !(salt === null || isHex(salt, 64))) return null;
  const said = JSON.parse(entry);
  if (canonical(said) !== entry) return null;
  const { size, root } = checkpoint(note, key);
  const sealed = salt === null ? entry : canonical({ hash: hex(sha256(joined(unhex(salt), utf8(entry)))), type: "sealed" });
  const leaf = sha256(joined(Uint8Array.of(0), utf8(sealed)));
  return same(rootOf(leaf, Number(index?.slice(6)), size, path.map(unbase64)), root) ? { said, leaf: hex(leaf) } : null;
}

/** The size and root of a checkpoint that the log signed. @param {string} note @param {string} key */
function checkpoint(note, key) {
  const at = note.indexOf("\n\n");
  const text = note.slice(0, at + 1);
  const [origin, size, root] = text.split("\n");
  const [name, id, encoded] = key.trim().split(/\+(?=[0-9a-f]{8}\+)|(?<=\+[0-9a-f]{8})\+/);
  const bytes = unbase64(encoded ?? "");
  const lines = note.slice(at + 2).split("\n").filter((line) => line !== "");
  const own = lines.flatMap((line) => {
    const [, signer, signature] = SIGNATURE.exec(line) ?? [];
    const raw = unbase64(signature ?? "");
    return signer === name && hex(raw.slice(0, 4)) === id ? [raw.slice(4)] : [];
  });
  const signature = own[0];
  const isGood = own.length === 1 && signature && bytes[0] === 1 && origin === name && isSigned(signature, utf8(text), bytes.slice(1));
  if (!isGood || !/^(0|[1-9]\d*)$/.test(size ?? "")) throw new Error("the log did not sign the checkpoint");
  return { size: Number(size), root: unbase64(root ?? "") };
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

/** @param {Uint8Array} one @param {Uint8Array} other */
const same = (one, other) => hex(one) === hex(other);
