// The entry of web/vendor/noble/noble.js, which tests/web/check.sh makes with esbuild.

export { hashes, verify } from "@noble/ed25519";
export { hmac } from "@noble/hashes/hmac.js";
export { sha256, sha512 } from "@noble/hashes/sha2.js";
