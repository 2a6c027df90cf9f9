"""The stream of a game: reads server-sent events, and connects again after the last one that was received."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx

from .generated import Client
from .generated.models import EventEnvelope, Turn
from .problem import ProblemError, refusal
from .retry import Pauses

# Without a line for so many seconds, the connection is broken; the server sends a comment every 15 seconds.
SILENCE = 45


@dataclass
class Reset:
    """The database was restored and ends at this version: discard the copy of the game and load it."""

    version: int


@dataclass
class End:
    """The game is over, and this is the last item."""


@dataclass
class Item:
    """`id` resumes the stream after this item.

    A turn comes with the last event of a command, or without content after the events that were missed. `events` are
    those since the turn before, with a turn and at the end. The hash of most of them has its first 16 digits only.
    """

    id: str
    content: EventEnvelope | Reset | End | None
    turn: Turn | None = None
    events: Sequence[EventEnvelope] = ()


def follow(client: Client, game: UUID, after: str = "0") -> Iterator[Item]:
    """The events and turns of a game after the item with the id `after`, until the game is over."""
    pauses = Pauses()
    # Since the last turn.
    events: list[EventEnvelope] = []
    while True:
        failure: Exception | None = None
        try:
            for name, identity, data in _frames(client, game, after):
                if name == "end":
                    yield Item(after, End(), events=events)
                    return
                if name == "reconnect":
                    break
                if name == "turn":
                    yield Item(after, None, Turn.from_dict(json.loads(data)), events)
                    events = []
                if not identity or name not in (None, "reset"):
                    continue
                after = identity
                pauses.reset()
                body = json.loads(data)
                if name == "reset":
                    events = []
                    yield Item(after, Reset(body["version"]))
                    continue
                turn = body.pop("turn", None)
                events.append(_event(identity, body))
                if turn is None:
                    yield Item(after, events[-1])
                    continue
                yield Item(after, events[-1], Turn.from_dict({"version": events[-1].seq, **turn}), events)
                events = []
        except (ProblemError, httpx.TransportError) as error:
            failure = error
        pauses.after(failure)


def _event(identity: str, message: dict[str, Any]) -> EventEnvelope:
    """The event of a frame, whose id has the number of the event and the first 16 digits of its hash."""
    number, _, tag = identity.partition("-")
    actor = {"kind": "player", **message["actor"]} if "actor" in message else {"kind": "server"}
    return EventEnvelope.from_dict({"hash": tag, **message, "seq": int(number), "actor": actor})


def _frames(client: Client, game: UUID, after: str) -> Iterator[tuple[str | None, str | None, str]]:
    """The frames of one connection: event, id and data. Without events left, the frame `end`."""
    url, headers, timeout = f"/v1/games/{game}/stream", {"Last-Event-ID": after}, httpx.Timeout(15, read=SILENCE)
    with client.get_httpx_client().stream("GET", url, headers=headers, timeout=timeout) as answer:
        if answer.status_code == 204:
            yield "end", None, ""
        elif not answer.is_success:
            raise refusal(answer)
        fields: dict[str, str] = {}
        for line in answer.iter_lines():
            name, _, content = line.partition(":")
            if line:
                fields[name] = fields.get(name, "") + content.removeprefix(" ")
            elif fields:
                yield fields.get("event"), fields.get("id"), fields.get("data", "")
                fields = {}
