"""Record keys, and the signatures that they made."""

import base64
import hashlib
import json

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .values import HEX, canonical

UNSIGNED, UNKNOWN, WRONG = "there is no signature", "the key is not one of the record keys", "the signature is wrong"

# The keys of small order, with which anybody can forge signatures.
SMALL_ORDER = {
    bytes.fromhex(digits) for digits in (
        "00" * 32, "01" + "00" * 31, "00" * 31 + "80", "01" + "00" * 30 + "80",
        "ec" + "ff" * 30 + "7f", "ec" + "ff" * 31, "ed" + "ff" * 30 + "7f", "ed" + "ff" * 31,
        "ee" + "ff" * 30 + "7f", "ee" + "ff" * 31,
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    )
}
# The prime of the field of Ed25519, and the constant of its curve.
PRIME = 2**255 - 19
CURVE = -121665 * pow(121666, -1, PRIME) % PRIME


def public_key(raw):
    """The Ed25519 key of 32 bytes that are a point of the curve. Forgeries must not be possible with it."""
    y = int.from_bytes(raw, "little") % 2**255
    square = (y * y - 1) * pow(CURVE * y * y + 1, -1, PRIME) % PRIME
    if raw in SMALL_ORDER or pow(square, (PRIME - 1) // 2, PRIME) > 1:
        raise ValueError(f"{raw.hex()} is no key")
    return Ed25519PublicKey.from_public_bytes(raw)


class BadKeys(ValueError):
    """The record keys cannot be read."""


def decoded(text):
    """The bytes of base64url without padding, in the only form that has them."""
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if base64.urlsafe_b64encode(raw).rstrip(b"=").decode() != text:
        raise BadKeys(f"{text[:80]!r} is not base64url")
    return raw


class Trust:
    """The record keys, and what is accepted without proof: running games, and ends without a signature."""

    def __init__(self):
        self.keys, self.running, self.unsigned = {}, False, False

    def add(self, raw):
        x = base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
        thumbprint = hashlib.sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}'.encode()).digest()
        kid = base64.urlsafe_b64encode(thumbprint).rstrip(b"=").decode()
        try:
            self.keys[kid] = public_key(raw)
        except ValueError as error:
            raise BadKeys(f"{x} is no key") from error

    def add_hex(self, digits):
        if not HEX[64].match(digits.lower()):
            raise BadKeys(f"{digits!r} is no key")
        self.add(bytes.fromhex(digits))

    def add_jwks(self, file):
        """The keys of a file with a JWK set."""
        try:
            with open(file, encoding="utf-8") as stream:
                jwks = json.load(stream)
        except (ValueError, RecursionError) as error:
            raise BadKeys(f"{file}: {error}") from error
        self.add_set(jwks)

    def add_set(self, jwks):
        """The record keys of a JWK set."""
        found = False
        try:
            for key in jwks["keys"]:
                if key.get("estimation:purpose") == "record":
                    found = True
                    self.add(decoded(key["x"]))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadKeys(f"not a JWK set: {error}") from error
        if not found:
            raise BadKeys("the JWK set has no record key")

    def problem(self, kind, statement, signature):
        """What is wrong with the signature over a statement, if anything."""
        if self.unsigned:
            return None
        if signature is None:
            return UNSIGNED
        key = self.keys.get(signature["kid"])
        if key is None:
            return UNKNOWN
        try:
            key.verify(bytes.fromhex(signature["value"]), (kind + "\n" + canonical(statement)).encode())
            return None
        except (ValueError, InvalidSignature):
            return WRONG
