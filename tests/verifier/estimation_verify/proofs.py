"""Verifies one history with the proofs that the public log has its start and its end, and with what a player kept.

    estimation-verify verify FILE [--proof FILE] [--promise FILE] [--head N-HASH] [--log-key VKEY] [--witness VKEY]
                                  [--jwks FILE] [--key HEX]

Every option may be given more than once. The file may have the proofs itself, as a piece after the end. The exit
status is 0 if everything is sound by the given keys, 1 if something was changed, 2 for wrong arguments, 3 if something
could not be checked, 4 if everything is sound by the keys in the file, and 5 if the cosignature of a given witness is
missing.
"""

import argparse
import datetime
import hashlib
import json

from .history import KEPT_TEXT, PROOFS, SIGNED, Audit
from .keys import WRONG, BadKeys, Trust
from .log import (
    LAST_SECOND, LOG, WITNESS, Checkpoint, Malformed, NotSigned, Note, Proof, Tampered, VerifierKey, keys_of, leaf_hash,
)
from .values import (
    HEX, NUMBERS, SAFE_COUNT, UUID, canonical, check_text, each, either, instant, is_time, none_or, one_of, parse,
    record, text,
)

SOUND, TAMPERED, UNCHECKED, BY_FILE, UNWITNESSED = 0, 1, 3, 4, 5
# The result of several problems is the first of these that is there.
ORDER = (TAMPERED, UNCHECKED, UNWITNESSED, BY_FILE, SOUND)
WORDS = {
    SOUND: "all is well", TAMPERED: "tampered with", UNCHECKED: "not checked completely",
    BY_FILE: "sound by the keys in this file", UNWITNESSED: "a cosignature is missing",
}
LABELS = {TAMPERED: "tampered", UNCHECKED: "not checked", UNWITNESSED: "missing"}
# How long after the checkpoint that has it an entry may be, and how soon after a start a cosignature shows it.
CLOCKS, SOON = 60_000, 120_000
EPOCH = datetime.datetime(1970, 1, 1)

HASH = text(HEX[64])
OPENING = record(entry=KEPT_TEXT, salt=none_or(HASH))
START = record(
    type=one_of("start"), game=text(UUID), at=is_time, commitment=HASH, ruleset=HASH, started=HASH,
    seats=each(none_or(HASH)),
)
END = record(type=one_of("end"), game=text(UUID), at=is_time, events=SAFE_COUNT, head=HASH)
ORIGIN = record(type=one_of("origin"), checkpoint=KEPT_TEXT)
PROMISE = record(origin=KEPT_TEXT, leaf=HASH, by=is_time, signature=SIGNED)


class Unchecked(Exception):
    """Something is missing or cannot be read, which proves no change."""


def milliseconds(at):
    return (instant(at) - EPOCH) // datetime.timedelta(milliseconds=1)


def written(seconds):
    """The time of a cosignature as text."""
    return (EPOCH + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def opened(proof):
    """The entry that the extra data of a proof opens, and the bytes that the log has for it."""
    try:
        opening = parse(proof.extra.decode())
        if not OPENING(opening) or canonical(opening).encode() != proof.extra:
            raise ValueError
        entry = parse(opening["entry"])
        if not either(START, END, ORIGIN)(entry) or canonical(entry) != opening["entry"]:
            raise ValueError
    except (ValueError, AttributeError, RecursionError) as error:
        raise Tampered("the extra data of the proof does not open an entry of the log") from error
    logged = opening["entry"].encode()
    if opening["salt"] is not None:
        sealed = hashlib.sha256(bytes.fromhex(opening["salt"]) + logged).hexdigest()
        logged = canonical({"hash": sealed, "type": "sealed"}).encode()
    return entry, logged


def promised(trust, log):
    """What is wrong with the signature of a promise, if anything."""
    statement = {name: log[name] for name in ("by", "leaf", "origin")}
    return trust.problem("estimation/log-promise/v1", statement, log["signature"])


class Reading(Audit):
    """An audit of a file that keeps the proofs in it, whatever their form."""

    def __init__(self):
        super().__init__(Trust())
        # The signature is verified later: the file may have the keys.
        self.trust.unsigned, self.proofs = True, []
        # Why what follows the end cannot be read.
        self.broken = None

    def proof(self, value):
        self.proofs.append(value)

    def unreadable(self, detail):
        """What follows the end proves no change of the history."""
        if self.has_end:
            self.broken = detail
        else:
            super().unreadable(detail)


class Proven:
    """An entry of the history that a log has."""

    def __init__(self, entry, logged, proof):
        self.is_start, self.at, self.leaf = entry["type"] == "start", entry["at"], leaf_hash(logged)
        # The newest time of a given witness's cosignature is found later.
        self.note, self.time = proof.note, None
        self.checkpoint = proof.verify(logged)


class Verification:
    def __init__(self, flags):
        self.flags, self.lines, self.problems = flags, [], []
        self.history = self.trust = None
        self.proven, self.roots, self.file_keys = [], {}, []
        self.has_proofs, self.used = False, []

    def say(self, line):
        self.lines.append(line)

    def found(self, status, detail):
        self.problems.append((status, detail))

    def attempt(self, check, *arguments):
        """Makes a check, and keeps its problem. Returns nothing then."""
        try:
            return check(*arguments)
        except Tampered as error:
            self.found(TAMPERED, error)
        except (Unchecked, NotSigned, BadKeys, Malformed, OSError, UnicodeError) as error:
            self.found(UNCHECKED, error)
        return None

    def status(self):
        statuses = {status for status, _ in self.problems}
        return next(status for status in ORDER if status in statuses or status == SOUND)

    def run(self):
        """Verifies everything."""
        proofs = self.attempt(self.read)
        if self.history is None:
            return
        self.has_proofs = bool(proofs)
        if not proofs and not self.flags.proof:
            self.found(UNCHECKED, "the file has no proofs, and no --proof was given")
        proofs = self.attempt(self.formed, proofs[0]) if proofs else None
        self.attempt(self.sign, proofs)
        self.heads()
        if proofs:
            self.file_keys = keys_of(proofs["log_keys"], LOG)
            if self.attempt(self.fit, proofs):
                self.bundle(proofs)
        for file in self.flags.proof:
            self.attempt(self.kept, file)
        self.tell_start()
        for file in self.flags.promise:
            self.attempt(self.promise, file)
        for key in self.used:
            self.say(f"a key of the file was used: {key}")

    # The history

    def read(self):
        with open(self.flags.file, "rb") as stream:
            content = stream.read()
        audit = Reading()
        audit.read(content.decode("utf-8", "surrogateescape"))
        report = audit.finish()
        for finding in report["findings"][:1]:
            what = f"event {finding['seq']}: {finding['rule']}: {finding['detail']}"
            if report["games"] == 0:
                raise Unchecked(f"not the history of a game: {what}")
            if audit.is_tampered:
                raise Tampered(what)
            raise Unchecked(what)
        if report["games"] != 1:
            raise Unchecked("not the history of a game")
        self.history = audit.last
        self.say(f"game {self.history.header['game']}: {len(self.history.lines)} events are right")
        if audit.broken is not None:
            self.found(UNCHECKED, f"what follows the history cannot be read: {audit.broken}")
        return audit.proofs

    def formed(self, proofs):
        if not PROOFS(proofs):
            raise Unchecked("the proofs in the file do not have the form of proofs")
        return proofs

    def fit(self, proofs):
        """Tells that there is a proof of the start if and only if there is one."""
        if proofs["start"] is None and self.history.start:
            raise Unchecked("the file has no proof of the start, and the game has one")
        if proofs["start"] is not None and not self.history.start:
            raise Unchecked("the file has a proof of the start, and the game has none")
        return True

    def sign(self, proofs):
        """Verifies the signature of the history, and finds the keys for promises."""
        trust, is_pinned = Trust(), bool(self.flags.jwks or self.flags.key)
        for file in self.flags.jwks:
            trust.add_jwks(file)
        for digits in self.flags.key:
            trust.add_hex(digits)
        if not is_pinned and not self.has_proofs:
            self.say("the signature of the history was not checked: neither --jwks nor --key")
            return
        if not is_pinned:
            self.found(BY_FILE, "")
            if not proofs:
                return
            trust.add_set(proofs["jwks"])
        self.trust = trust
        statement, signature = self.history.signed
        problem = trust.problem("estimation/game-end/v1", statement, signature)
        if problem == WRONG:
            raise Tampered(f"the end of the history: {problem}")
        if problem:
            raise Unchecked(f"the end of the history: {problem}")
        if not is_pinned:
            self.used.append(signature["kid"])

    def heads(self):
        hashes = {line["seq"]: line["hash"] for line in self.history.lines}
        for seq, digits in self.flags.head:
            if hashes.get(seq, "").startswith(digits):
                self.say(f"event {seq} is the one that was kept")
            else:
                self.found(TAMPERED, f"the history does not have event {seq} with the hash {digits}, which was kept")

    # Proofs

    def bundle(self, proofs):
        """The proofs in the file."""
        end = self.attempt(self.prove, proofs["end"], "end")
        start = self.attempt(self.prove, proofs["start"], "start") if proofs["start"] is not None else None
        if end:
            self.attempt(self.ended, end)
        if start:
            # Only if the end is in a later log, that vouches for the checkpoint.
            is_vouched = end is not None and end.checkpoint.origin != start.checkpoint.origin
            self.attempt(self.started, start, is_vouched)
        self.proven += [proven for proven in (end, start) if proven]
        if end and (start or proofs["start"] is None):
            self.attempt(self.chain, proofs["origins"], end, start)

    def trusted(self, proven, is_vouched=False):
        """Checks who signed and cosigned a checkpoint. Returns where the log's key is from, and the missing witnesses."""
        by = self.authenticate(proven.note, proven.checkpoint, is_vouched)
        return by, self.in_time(proven)

    def ended(self, end):
        """Checks who signed and cosigned the checkpoint with the end."""
        by, missing = self.trusted(end)
        self.rely(by)
        for key in missing:
            self.found(UNWITNESSED, f"{key.name} has not cosigned the checkpoint with the end")

    def started(self, start, is_vouched):
        """Checks who signed and cosigned the checkpoint with the start."""
        by, _ = self.trusted(start, is_vouched)
        if not is_vouched:
            self.rely(by)

    def rely(self, by):
        """Notes that a checkpoint of the log with the end is signed with a key of the file."""
        if by == "file":
            self.found(BY_FILE, "")

    def kept(self, file):
        """A proof that was given."""
        with open(file, encoding="utf-8", newline="") as stream:
            proven = self.prove(stream.read(), "start", "end")
        _, missing = self.trusted(proven)
        if missing and not self.has_proofs:
            raise Unchecked(f"{missing[0].name} has not signed the note")
        self.proven.append(proven)

    def prove(self, given, *types):
        """Verifies that a checkpoint has the start or the end of the history."""
        proof, history = Proof(given), self.history
        entry, logged = opened(proof)
        if entry["type"] not in types:
            raise Tampered(f"the proof is of an entry of the type {entry['type']}")
        if entry["type"] == "start":
            seats = [seat is not None for seat in entry["seats"]]
            rest = {name: value for name, value in entry.items() if name != "seats"}
            if history.start is None or rest != history.start or seats != history.people:
                raise Tampered(f"the proof is of another start than that of the history: it has {canonical(entry)}")
            self.say(f"the game began at {entry['at']}, as its entry in the log says")
        else:
            game, events, head = history.header["game"], len(history.lines), history.head.hex()
            if (entry["game"], entry["events"], entry["head"]) != (game, events, head):
                raise Tampered(f"the proof is of another end than that of the history: it has {canonical(entry)}")
            if history.at is None:
                raise Unchecked("the history has no event")
            if milliseconds(entry["at"]) < milliseconds(history.at):
                raise Tampered(f"the entry of the end is of {entry['at']}, and the game ends at {history.at}")
            self.say(f"the game ended at {history.at}; its entry in the log is of {entry['at']}")
        proven = Proven(entry, logged, proof)
        self.say(f"entry {proof.index} of {proven.checkpoint}")
        return proven

    def authenticate(self, note, checkpoint, is_vouched=False):
        """Verifies who signed a checkpoint. Returns where the key is from."""
        pinned = [key for key in self.flags.log_key if key.name == checkpoint.origin]
        known = [key for key in self.file_keys if key.name == checkpoint.origin]
        by = "pinned" if pinned else "file"
        if not pinned and not is_vouched and any(self.cosigned(note, key) for key in self.flags.witness):
            self.say("the log's own signature was not checked, only that of the witnesses: no --log-key")
            by = "witness"
        elif pinned or known:
            keys = pinned or known
            key = next((key for key in keys if note.signed_by(key)), keys[0])
            note.verify(key)
            if not pinned and key.text not in self.used:
                self.used.append(key.text)
        elif is_vouched:
            self.say(f"the signature of {checkpoint.origin} was not checked: its key is not known")
            return None
        else:
            raise Unchecked(f"there is no key of the log {checkpoint.origin}")
        self.remember(checkpoint)
        return by

    def remember(self, checkpoint):
        """A log has only one root of a size."""
        if self.roots.setdefault((checkpoint.origin, checkpoint.size), checkpoint.root) != checkpoint.root:
            raise Tampered(f"the log {checkpoint.origin} signed two roots for {checkpoint.size} entries")

    def cosigned(self, note, key):
        """Whether a witness cosigned a note."""
        try:
            note.verify(key)
        except (NotSigned, Tampered):
            return False
        return True

    def cosignatures(self, note):
        """The given witnesses that cosigned a note, with the times, and those that did not."""
        times, missing = [], []
        for key in self.flags.witness:
            if note.signed_by(key):
                times.append((key, note.verify(key)))
            else:
                missing.append(key)
        return times, missing

    def in_time(self, proven):
        """Compares the time of an entry with the cosignatures. Returns the witnesses whose cosignature is missing."""
        cosigned, missing = self.cosignatures(proven.note)
        times = []
        for key, time in cosigned:
            if time > LAST_SECOND:
                self.found(UNCHECKED, f"the cosignature of {key.name} has no time")
                continue
            self.say(f"cosigned by {key.name} at {written(time)}")
            times.append(time)
        proven.time = max(times, default=None)
        if times and milliseconds(proven.at) - proven.time * 1000 > CLOCKS:
            what = "start" if proven.is_start else "end"
            raise Tampered(
                f"the entry of the {what} is of {proven.at}, later than the checkpoint that has it, "
                f"which is of {written(proven.time)}"
            )
        return missing

    def chain(self, origins, end, start):
        """Follows the logs back from that of the end to that of the start."""
        log, expected = end.checkpoint.origin, None
        wanted = start.checkpoint.origin if start else log
        for position, given in enumerate(origins):
            if log == wanted:
                raise Unchecked("there are more proofs of former logs than lead to the start")
            proof = Proof(given)
            entry, logged = opened(proof)
            checkpoint = proof.verify(logged)
            if entry["type"] != "origin" or logged != canonical(entry).encode():
                raise Tampered(f"the proof opens no origin that the log has unsealed: {canonical(entry)}")
            if proof.index != 0 or checkpoint.origin != log:
                raise Unchecked(f"a proof is not of the first entry of {log}")
            if expected and (checkpoint.size, checkpoint.root) != (expected.size, expected.root):
                raise Tampered(f"the log after {log} continues another checkpoint of it than that of the proof")
            by = self.authenticate(proof.note, checkpoint, position > 0)
            if position == 0:
                self.rely(by)
            self.cosignatures(proof.note)
            expected = Checkpoint(Note(entry["checkpoint"]).text)
            self.say(f"{log} continues {expected}")
            log = expected.origin
        if log != wanted:
            raise Unchecked(f"no proof leads from {log} to {wanted}, which has the start")
        if expected and (start.checkpoint.size, start.checkpoint.root) != (expected.size, expected.root):
            raise Tampered(f"the next log continues another checkpoint of {log} than that with the start")

    def tell_start(self):
        """Says what shows when the log had the start."""
        starts = [proven for proven in self.proven if proven.is_start]
        if self.history.start and not starts:
            self.say("the start in the log was not checked: there is no proof of it")
        times = [proven.time for proven in starts if proven.time is not None]
        if times and min(times) * 1000 - milliseconds(self.history.start["at"]) <= SOON:
            self.say(f"the log had the start by {written(min(times))}")
        elif starts:
            self.say("the time of the start is the service's word: no given witness cosigned it within two minutes")

    # What a player kept

    def promise(self, file):
        with open(file, encoding="utf-8") as stream:
            try:
                kept = json.loads(stream.read(), **NUMBERS)
                check_text(kept)
            except (ValueError, RecursionError) as error:
                raise Unchecked(f"{file}: no promise: {error}") from error
        game = kept.get("id") if isinstance(kept, dict) else None
        log = kept.get("log", kept) if isinstance(kept, dict) else kept
        if not PROMISE(log):
            raise Unchecked(f"{file}: no promise")
        if isinstance(game, str) and game != self.history.header["game"]:
            raise Unchecked(f"{file}: a view of another game")
        if self.trust is None:
            self.say("the signature of the promise was not checked: neither --jwks nor --key")
        elif promised(self.trust, log):
            raise Unchecked(f"{file}: not a promise of this service: {promised(self.trust, log)}")
        start = next((proven for proven in self.proven if proven.is_start), None)
        if start is None:
            raise Unchecked(f"{file}: it can be checked only with the proof of the start")
        if start.leaf.hex() != log["leaf"]:
            detail = "the log has another start of the game than was promised"
            # Anybody could have made a promise whose signature was not checked.
            raise Tampered(detail) if self.trust else Unchecked(detail)
        if start.checkpoint.origin != log["origin"]:
            self.say(f"the start was promised for {log['origin']}, and {start.checkpoint.origin} has it")
        self.say(f"the log has the start that was promised, by {log['by']}")


# The command line ----------------------------------------------------------------------------------------


def head(argument):
    seq, _, digits = argument.partition("-")
    fits = 16 <= len(digits) <= 64 and set(digits) <= set("0123456789abcdef")
    if not fits or not seq.isascii() or not seq.isdigit() or len(seq) > 4000 or int(seq) >= 2**64:
        raise argparse.ArgumentTypeError("a number, a hyphen, and 16 to 64 hexadecimal digits")
    return int(seq), digits


def key_of(kind):
    def key(argument):
        try:
            key = VerifierKey(argument)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error
        if key.type != kind:
            raise argparse.ArgumentTypeError("a log's key has the type 0x01, a witness's the type 0x04")
        return key
    return key


def parser():
    flags = argparse.ArgumentParser(prog="estimation-verify verify", allow_abbrev=False)
    flags.add_argument("file", metavar="FILE", help="a history, with or without its proofs")
    more = dict(action="append", default=[])
    flags.add_argument("--proof", metavar="FILE", help="a proof of the start or of the end", **more)
    flags.add_argument("--promise", metavar="FILE", help="a kept view of the game, or its member `log`", **more)
    flags.add_argument("--head", metavar="N-HASH", type=head, help="a kept head", **more)
    flags.add_argument("--log-key", metavar="VKEY", type=key_of(LOG), help="the key of a log", **more)
    flags.add_argument("--witness", metavar="VKEY", type=key_of(WITNESS), help="the key of a witness", **more)
    flags.add_argument("--jwks", metavar="FILE", help="the record keys of the service", **more)
    flags.add_argument("--key", metavar="HEX", help="a record key", **more)
    return flags


def printable(line):
    """A line without characters that a terminal could take for commands."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in line)


def main(arguments):
    verification = Verification(parser().parse_args(arguments))
    verification.run()
    status = verification.status()
    said = verification.lines + [
        f"{LABELS[own]}: {detail}" for own, detail in verification.problems if own in LABELS
    ]
    for line in said + [WORDS[status]]:
        print(printable(line))
    return status
