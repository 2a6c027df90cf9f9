"""Compares the bundle of a game with what a player kept of it. docs/specification.md has the formats."""

import base64
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

from .generated.models import Head, LogPromise

# - `bundle`: the text is a bundle of the game.
# - `head`: the history has the newest head that the server showed, so all events before are the ones of that head.
#   They need not be the ones of earlier heads: the server can have replaced events in between.
# - `opening`: the history has the head before the player sent a seed. If the game started with that seed, the server's
#   commitment is not later than this head. So the server committed to its own seed before it knew the player's.
# - `seed`: the game started with the player's own seed.
# - `promise`: the logged start is the promised one. Its proof is the kept one, else that of the bundle.
# - `start`: that start is the one of the history.
Check = Literal["bundle", "head", "opening", "seed", "promise", "start"]


# What a text of another form raises.
_MALFORMED = (AttributeError, KeyError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True)
class OwnSeed:
    """The player's own seed at a table: its commitment, and whether the player has opened it."""

    place: int
    commitment: str
    is_opened: bool


@dataclass(frozen=True)
class Kept:
    """What a player keeps of a game.

    `head` is the newest head that the server showed, `opening_head` the head before the player sent the seed of the
    last opening, `promise` the promise that the public log has the start, and `start_proof` the proof of that.
    """

    head: Head | None = None
    opening_head: Head | None = None
    promise: LogPromise | None = None
    start_proof: str | None = None
    seed: OwnSeed | None = None


@dataclass(frozen=True)
class Contradiction:
    """`detail` is for developers."""

    check: Check
    detail: str


@dataclass
class Comparison:
    """The result of a comparison. It does not verify the game: no signature, deal, command or score is checked, nor
    whether the public log has the game. `estimation-audit verify` does that; give it the `files`.

    A check is missing in `compared` if nothing was kept for it. `files` are texts to save, by name: the bundle, and the
    heads, the promise and the proof of the start that were kept.
    """

    game: UUID
    files: dict[str, str]
    compared: list[Check] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)

    def __str__(self) -> str:
        """One line, for a log."""
        wrong = "; ".join(f"{one.check}: {one.detail}" for one in self.contradictions)
        return f"compared {', '.join(self.compared)}: {wrong or 'nothing contradicts'} (this does not verify the game)"

    def save(self, folder: str | Path) -> None:
        """Writes the files into a folder, which is created if it is missing."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, text in self.files.items():
            (Path(folder) / name).write_text(text, encoding="utf-8", errors="replace", newline="")

    def _note(self, check: Check, detail: str | None) -> None:
        """Notes that something was compared, and that it contradicts if there is a detail."""
        self.compared.append(check)
        if detail:
            self.contradictions.append(Contradiction(check, detail))


def compare(game: UUID, kept: Kept, text: str) -> Comparison:
    """Compares the text of a bundle, one JSON object, with what was kept of the game."""
    comparison = Comparison(game, _files(game, kept, text))
    try:
        bundle = _read(game, text)
    except _MALFORMED:
        comparison._note("bundle", "the text is no bundle of this game")
        return comparison
    comparison._note("bundle", None)
    events, hashes, started = bundle.events, bundle.hashes, bundle.started
    if kept.head:
        comparison._note("head", _difference(kept.head, hashes))
    is_own = bool(
        started is not None and kept.seed and _seed_at(events[started], kept.seed.place) == kept.seed.commitment
    )
    if kept.opening_head:
        seq, wrong = kept.opening_head.seq, _difference(kept.opening_head, hashes)
        # The server commits anew when an opening fails.
        if not wrong and is_own and any(event["type"] == "opening_failed" for event in events[seq:started]):
            wrong = f"the server's commitment is later than event {seq}"
        comparison._note("opening", wrong)
    if started is not None and kept.seed and not _was_replaced(kept.seed, events[:started]):
        wrong = f"the game did not start with the player's seed at place {kept.seed.place}"
        comparison._note("seed", None if is_own else wrong)
    if kept.promise and started is None:
        comparison._note("promise", "the history has no start, which was promised")
    start_proof = kept.start_proof
    if start_proof is None and kept.promise:
        start_proof = bundle.start_proof
    if start_proof is not None:
        try:
            entry, leaf = _open(start_proof)
        except _MALFORMED:
            entry, leaf = {}, ""
        if kept.promise and started is not None:
            comparison._note("promise", None if leaf == kept.promise.leaf else "the logged start is another one")
        stated = [entry.get(member) for member in ("type", "game", "started")]
        is_start = started is not None and stated == ["start", str(game), hashes[started]]
        comparison._note("start", None if is_start else "the logged start is not the one of the history")
    return comparison


def commitment_to(seed: object) -> str | None:
    """None for what is no text."""
    return sha256(seed.encode(errors="replace")).hexdigest() if isinstance(seed, str) else None


def _difference(head: Head, hashes: list[str]) -> str | None:
    # The generated type accepts any JSON.
    is_known = isinstance(head.seq, int) and 0 < head.seq <= len(hashes) and hashes[head.seq - 1] == head.hash_
    return None if is_known else f"the history has another event {head.seq}"


def promise_members(promise: LogPromise) -> dict[str, Any]:
    """The promise as the server signed it: the generated type writes times in another form than S-3."""
    by = promise.by.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {**promise.to_dict(), "by": by}


def _files(game: UUID, kept: Kept, bundle: str) -> dict[str, str]:
    files = {
        f"{game}.bundle.json": bundle,
        f"{game}.start.tlog-proof": kept.start_proof,
        f"{game}.promise.json": f"{json.dumps(promise_members(kept.promise))}\n" if kept.promise else None,
        f"{game}.head": _line(kept.head),
        f"{game}.opening-head": _line(kept.opening_head),
    }
    return {name: text for name, text in files.items() if text is not None}


def _line(head: Head | None) -> str | None:
    return f"{head.seq}-{head.hash_}\n" if head else None


@dataclass(frozen=True)
class _Bundle:
    """`hashes` are computed from the texts of the events. `started` is the index of `game_started`.

    `start_proof` is the proof that the public log has the start. Both are None if the game did not start.
    """

    events: list[dict[str, Any]]
    hashes: list[str]
    started: int | None
    start_proof: str | None


def _read(game: UUID, text: str) -> _Bundle:
    """Raises one of `_MALFORMED` if the text is no bundle, or one of another game."""
    bundle = json.loads(text)
    if bundle["header"]["game"] != str(game):
        raise ValueError("another game")
    events, hashes, last = [], [], bytes(32)
    for line in bundle["events"]:
        event = json.loads(line["body"])["event"]
        if not isinstance(event["type"], str):
            raise ValueError("an event without a type")
        last = sha256(last + line["body"].encode()).digest()
        hashes.append(last.hex())
        events.append(event)
    started = next((index for index, event in enumerate(events) if event["type"] == "game_started"), None)
    start_proof = bundle["proofs"]["start"]
    if not (start_proof is None if started is None else isinstance(start_proof, str)):
        raise ValueError("a start without a proof, or a proof without a start")
    return _Bundle(events, hashes, started, start_proof)


def _seed_at(started: dict[str, Any], place: int) -> str | None:
    """The commitment to the seed of a place in `game_started`."""
    seeds = started.get("client_seeds")
    return commitment_to(seeds[place]) if isinstance(seeds, list) and place < len(seeds) else None


def _was_replaced(own: OwnSeed, table: Iterable[dict[str, Any]]) -> bool:
    """Whether the seed became void before the start, or another device of the player replaced it.

    After the player opened it, only a failed opening can do that.
    """
    is_there, is_replaced = False, False
    for event in table:
        kind, is_at = event["type"], event.get("place") == own.place
        stated = commitment_to(event.get("client_seed")) if kind == "seed_opened" else event.get("commitment")
        if kind == ("seed_opened" if own.is_opened else "seed_committed") and is_at and stated == own.commitment:
            is_there, is_replaced = True, False
        elif is_there:
            ends = not own.is_opened and is_at and kind in ("seed_committed", "player_left")
            is_replaced = is_replaced or ends or kind == "opening_failed"
    return is_replaced


def _open(proof: str) -> tuple[dict[str, Any], str]:
    """The entry that a proof opens, and the hash of its leaf in the log.

    Raises one of `_MALFORMED` if the text is no proof.
    """
    extra = re.match(r"c2sp\.org/tlog-proof@v1\nextra (.+)\n", proof)
    opened = json.loads(base64.b64decode(extra[1] if extra else "", validate=True))
    logged: bytes = opened["entry"].encode()
    if opened["salt"] is not None:
        # The log has only a salted hash of an entry of a private game.
        sealed = sha256(bytes.fromhex(opened["salt"]) + logged).hexdigest()
        logged = f'{{"hash":"{sealed}","type":"sealed"}}'.encode()
    return dict(json.loads(opened["entry"])), sha256(b"\0" + logged).hexdigest()
