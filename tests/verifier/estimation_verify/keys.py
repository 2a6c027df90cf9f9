"""Record keys, and the signatures that they made."""

import base64
import hashlib
import json

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .values import canonical

UNSIGNED, UNKNOWN, WRONG = "there is no signature", "the key is not one of the record keys", "the signature is wrong"


class BadKeys(ValueError):
    """The record keys cannot be read."""


class Trust:
    """The record keys, and what is accepted without proof: running games, and ends without a signature."""

    def __init__(self):
        self.keys, self.running, self.unsigned = {}, False, False

    def add(self, raw):
        x = base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
        thumbprint = hashlib.sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}'.encode()).digest()
        kid = base64.urlsafe_b64encode(thumbprint).rstrip(b"=").decode()
        try:
            self.keys[kid] = Ed25519PublicKey.from_public_bytes(raw)
        except ValueError as error:
            raise BadKeys(f"{x} is no key") from error

    def add_hex(self, digits):
        try:
            self.add(bytes.fromhex(digits))
        except ValueError as error:
            raise BadKeys(f"{digits!r} is no key") from error

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
                    self.add(base64.b64decode(key["x"] + "=", altchars=b"-_", validate=True))
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
