"""The stream of a game: reads server-sent events, and connects again after the last one that was received."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

import httpx

from .generated import Client
from .generated.models import EventEnvelope
from .problem import ProblemError, refusal
from .retry import Pauses

# Without a line for so many seconds, the connection is broken; the server sends a comment every 15 seconds.
SILENCE = 45


@dataclass
class Reset:
    """The database was restored and ends at this version: discard the copy of the game and load it."""

    version: int


@dataclass
class Item:
    """`id` resumes the stream after this item."""

    id: str
    content: EventEnvelope | Reset


def follow(client: Client, game: UUID, after: str = "0") -> Iterator[Item]:
    """The events of a game after the item with the id `after`, until the game is over."""
    pauses = Pauses()
    while True:
        failure: Exception | None = None
        try:
            for name, identity, data in _frames(client, game, after):
                if name == "end":
                    return
                if name == "reconnect":
                    break
                if not identity or name not in (None, "reset"):
                    continue
                after = identity
                pauses.reset()
                body = json.loads(data)
                yield Item(after, Reset(body["version"]) if name else EventEnvelope.from_dict(body))
        except (ProblemError, httpx.TransportError) as error:
            failure = error
        pauses.after(failure)


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
