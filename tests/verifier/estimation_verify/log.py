"""The formats of transparency logs that proofs need: signed notes, checkpoints, cosignatures and proofs of inclusion.

Written from c2sp.org/signed-note, tlog-checkpoint, tlog-cosignature and tlog-proof, and RFC 9162.
"""

import base64
import hashlib
import unicodedata

from cryptography.exceptions import InvalidSignature

from .keys import public_key

LOG, WITNESS = 1, 4
FIRST_LINE = "c2sp.org/tlog-proof@v1"
# The limits for what is read: bytes of a note and of a proof, signatures of a note, hashes of a proof.
MAX_NOTE, MAX_PROOF, MAX_SIGNATURES, MAX_PATH = 64 << 10, 256 << 10, 100, 64
# The last second that has a form in the record.
LAST_SECOND = 253402207200


class Malformed(ValueError):
    """A text does not have the form of a note, a checkpoint, a key or a proof."""


class NotSigned(Exception):
    """A key has not signed a note."""


class Tampered(Exception):
    """A signature or a proof is wrong."""


def decoded(text):
    """The bytes of standard base64 with padding, in the only form that has them."""
    try:
        raw = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise Malformed(f"{text[:80]!r} is not base64") from error
    if base64.b64encode(raw).decode() != text:
        raise Malformed(f"{text[:80]!r} is not base64")
    return raw


def decimal(text):
    """A number below 2⁶⁴ without a sign and leading zeros."""
    digits = text.isascii() and text.isdigit() and len(text) <= 20 and (text == "0" or text[0] != "0")
    if not digits or int(text) >= 2**64:
        raise Malformed(f"{text[:80]!r} is no number")
    return int(text)


def key_name(text):
    """The name of a key, which for a log is its origin."""
    if not text or any(c == "+" or c.isspace() or unicodedata.category(c) == "Cc" for c in text):
        raise Malformed(f"{text[:80]!r} is no name of a key")
    return text


def hashed(text):
    raw = decoded(text)
    if len(raw) != 32:
        raise Malformed(f"{text[:80]!r} is no hash")
    return raw


def leaf_hash(entry):
    return hashlib.sha256(b"\0" + entry).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


class VerifierKey:
    """A public key with its name, as `name+hex8+base64`."""

    def __init__(self, text):
        parts = text.split("+", 2)
        if len(parts) != 3:
            raise Malformed("a verifier key has the form name+hex8+base64")
        self.text, self.name, raw = text, key_name(parts[0]), decoded(parts[2])
        if len(raw) != 33 or raw[0] not in (LOG, WITNESS):
            raise Malformed(f"{text[:80]!r} has a key that is not supported")
        self.type = raw[0]
        self.id = hashlib.sha256(self.name.encode() + b"\n" + raw).digest()[:4]
        if self.id.hex() != parts[1]:
            raise Malformed(f"{text[:80]!r} has another key id")
        try:
            self.public = public_key(raw[1:])
        except ValueError as error:
            raise Malformed(f"{text[:80]!r} has no key") from error

    def accepts(self, message, signature):
        try:
            self.public.verify(signature, message)
            return True
        except (InvalidSignature, ValueError):
            return False


def keys_of(texts, kind):
    """The keys of a type among texts, some of which may be no keys."""
    keys = []
    for text in texts:
        try:
            key = VerifierKey(text)
        except ValueError:
            continue
        keys += [key] * (key.type == kind)
    return keys


class Note:
    """A signed note: a text, and signatures below it that are not verified yet."""

    def __init__(self, note):
        if len(note.encode()) > MAX_NOTE:
            raise Malformed("the note is too long")
        head, found, _ = note.rpartition("\n\n")
        self.text, lines = note[: len(head) + 1], note[len(head) + 2 :].split("\n")
        if not found or any(c < " " and c != "\n" for c in self.text) or len(lines) < 2 or lines.pop():
            raise Malformed("not a signed note")
        if len(lines) > MAX_SIGNATURES:
            raise Malformed("the note has too many signatures")
        self.signatures = [self.signature(line) for line in lines]

    @staticmethod
    def signature(line):
        mark, _, rest = line.partition(" ")
        name, space, value = rest.partition(" ")
        if mark != "—" or not space:
            raise Malformed(f"{line[:80]!r} is no line with a signature")
        raw = decoded(value)
        if len(raw) < 5:
            raise Malformed(f"{line[:80]!r} is no line with a signature")
        return key_name(name), raw[:4], raw[4:]

    def signed_by(self, key):
        return [value for name, key_id, value in self.signatures if (name, key_id) == (key.name, key.id)]

    def verify(self, key):
        """Verifies the signature of a key. Returns the time of a cosignature in seconds since 1970, else nothing."""
        values = self.signed_by(key)
        if not values:
            raise NotSigned(f"{key.name} has not signed the note")
        if len(values) > 1:
            raise Tampered(f"{key.name} has signed the note twice")
        value, text, time = values[0], self.text, None
        if key.type == WITNESS:
            time, value = int.from_bytes(value[:8], "big"), value[8:]
            text = f"cosignature/v1\ntime {time}\n{text}"
            if time >= 2**63:
                raise Tampered(f"the cosignature of {key.name} has no time")
        if len(value) != 64 or not key.accepts(text.encode(), value):
            raise Tampered(f"the signature of {key.name} is wrong")
        return time


class Checkpoint:
    """The origin, the size and the root of a log."""

    def __init__(self, text):
        lines = text.split("\n")
        if len(lines) != 4 or lines[3]:
            raise Malformed("not a checkpoint")
        self.origin, self.size, self.root = key_name(lines[0]), decimal(lines[1]), hashed(lines[2])
        if self.size == 0 and self.root != hashlib.sha256().digest():
            raise Malformed("the root of an empty log is wrong")

    def __str__(self):
        return f"{self.origin}: {self.size} entries, root {base64.b64encode(self.root).decode()}"


class Proof:
    """A proof that a log has an entry."""

    def __init__(self, text):
        if len(text.encode()) > MAX_PROOF:
            raise Malformed("the proof is too long")
        head, found, note = text.partition("\n\n")
        lines = head.split("\n")
        if not found or lines.pop(0) != FIRST_LINE:
            raise Malformed(f"not a proof of the form {FIRST_LINE}")
        self.extra = None
        if lines and lines[0].startswith("extra "):
            self.extra = decoded(lines.pop(0).removeprefix("extra "))
        if not lines or not lines[0].startswith("index "):
            raise Malformed("the proof has no index")
        self.index, self.path = decimal(lines.pop(0).removeprefix("index ")), [hashed(line) for line in lines]
        if len(self.path) > MAX_PATH:
            raise Malformed("the proof has too many hashes")
        self.note = Note(note)

    def verify(self, entry):
        """Verifies that the checkpoint has an entry, given as its bytes. Returns the checkpoint."""
        try:
            checkpoint = Checkpoint(self.note.text)
        except Malformed as error:
            raise Tampered(str(error)) from error
        if self.index >= checkpoint.size:
            raise Tampered(f"the log has no entry {self.index}, only {checkpoint.size}")
        node, last, root = self.index, checkpoint.size - 1, leaf_hash(entry)
        for sibling in self.path:
            if last == 0:
                raise Tampered("the number of hashes in the proof is wrong")
            if node & 1 or node == last:
                root = node_hash(sibling, root)
                while node and not node & 1:
                    node, last = node >> 1, last >> 1
            else:
                root = node_hash(root, sibling)
            node, last = node >> 1, last >> 1
        if last:
            raise Tampered("the number of hashes in the proof is wrong")
        if root != checkpoint.root:
            raise Tampered("the proof does not lead to the root")
        return checkpoint
