// Codes of an authenticator app.

import { createHmac } from "node:crypto";

/** The code for the time `at` in milliseconds, with SHA-1, six digits and steps of 30 seconds (RFC 6238). `secret` is in base 32. */
export function codeAt(secret, at) {
  const bits = [...secret.replace(/=+$/, "")].map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const hash = createHmac("sha1", key).update(step).digest();
  const number = hash.readUInt32BE(hash[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

/** The present code, after the code for the time `used` in milliseconds. The server takes a code once, and that of the next step early. */
export const codeAfter = (secret, used) => codeAt(secret, Math.max(Date.now(), used + 30_000));
