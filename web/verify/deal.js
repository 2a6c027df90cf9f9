// The deals again, from the seeds: docs/specification.md, "Deals".

import { packOf } from "./rules.js";
import { canonical, hmacSha256, unhex, utf8 } from "./values.js";

/**
 * The shuffled pack from the top.
 * @param {import("./rules.js").Rules} rules
 * @param {{ alg: string, game: string, seeds: (string | null)[], round: number, attempt: number }} statement
 * @param {string} seed the server's, in hexadecimal
 */
export function shuffled(rules, statement, seed) {
  const words = keyStream(hmacSha256(unhex(seed), utf8(canonical(statement))));
  const pack = packOf(rules);
  for (let i = pack.length - 1; i > 0; i -= 1) {
    const limit = Math.floor(2 ** 32 / (i + 1)) * (i + 1);
    let word = limit;
    while (word >= limit) word = words.next().value;
    const j = word % (i + 1);
    [pack[i], pack[j]] = [pack[j] ?? "", pack[i] ?? ""];
  }
  return pack;
}

/**
 * The words of ChaCha20 (RFC 8439) with a 64-bit counter and nonce 0.
 * @param {Uint8Array} key
 * @returns {Generator<number, never>}
 */
function* keyStream(key) {
  const view = new DataView(key.buffer, key.byteOffset, 32);
  const keyWords = Array.from({ length: 8 }, (_, i) => view.getUint32(4 * i, true));
  for (let counter = 0; ; counter += 1) {
    const start = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, ...keyWords, counter, 0, 0, 0];
    const x = Uint32Array.from(start);
    for (let round = 0; round < 10; round += 1) {
      for (let i = 0; i < 4; i += 1) quarter(x, i, i + 4, i + 8, i + 12);
      for (let i = 0; i < 4; i += 1) quarter(x, i, 4 + ((i + 1) % 4), 8 + ((i + 2) % 4), 12 + ((i + 3) % 4));
    }
    for (let i = 0; i < 16; i += 1) yield ((x[i] ?? 0) + (start[i] ?? 0)) >>> 0;
  }
}

/** @param {Uint32Array} x @param {number} a @param {number} b @param {number} c @param {number} d */
function quarter(x, a, b, c, d) {
  for (const [one, other, target, turn] of /** @type {const} */ ([
    [a, b, d, 16],
    [c, d, b, 12],
    [a, b, d, 8],
    [c, d, b, 7],
  ])) {
    const sum = (x[one] ?? 0) + (x[other] ?? 0);
    const mixed = (x[target] ?? 0) ^ sum;
    x[one] = sum;
    x[target] = (mixed << turn) | (mixed >>> (32 - turn));
  }
}
