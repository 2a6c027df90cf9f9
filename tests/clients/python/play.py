"""Two Python players with the generated client: one opens the table, and both play from `legal`.

    python play.py URL NAME NAME

The id of the table is the first line that is printed, so that others can sit down; the game starts when the table
is full.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import TypeVar
from uuid import UUID

import httpx
from estimation_client import AuthenticatedClient, Client
from estimation_client.api.accounts import register_account
from estimation_client.api.games import create_game, get_game, join_game, start_game
from estimation_client.api.play import get_scores, post_command
from estimation_client.api.play.stream_game import _get_kwargs as stream_request
from estimation_client.models import (
    BidCommand,
    CommandAnswer,
    CreateGameRequest,
    EventEnvelope,
    GameView,
    JoinRequest,
    KnownRulesetId,
    PassCommand,
    Problem,
    RegisterRequest,
    Registration,
    ScoreSheet,
)

# How long a game may take before something must be wrong, in seconds.
PATIENCE = 240

T = TypeVar("T")


def accepted(kind: type[T], answer: object) -> T:
    """The body of a success; a problem is raised with its code."""
    if isinstance(answer, Problem):
        raise RuntimeError(f"{answer.status} {answer.code}: {answer.detail}")
    if not isinstance(answer, kind):
        raise TypeError(f"{answer!r} is no {kind.__name__}")
    return answer


class Player:
    """An account that is signed in."""

    def __init__(self, url: str, name: str) -> None:
        nobody = Client(url)
        body = RegisterRequest(username=name, password="plum-kettle-orbit")
        registered = accepted(Registration, register_account.sync(client=nobody, body=body))
        self.name = name
        self.client = AuthenticatedClient(
            url, token=registered.session.access_token, timeout=httpx.Timeout(PATIENCE), raise_on_unexpected_status=True
        )
        self.heard: Counter[str] = Counter()
        self.played = 0

    def view(self, game: UUID) -> GameView:
        return accepted(GameView, get_game.sync(game, client=self.client))

    def play(self, game: UUID) -> None:
        """Plays the whole game: acts whenever the stream brings something and it is this player's turn."""
        self.act(game)
        for event in self.stream(game):
            self.heard[event.event.type_] += 1
            if event.event.type_ == "round_scored":
                self.check_scores(game)
            if event.event.type_ != "game_finished":
                self.act(game)

    def act(self, game: UUID) -> None:
        """Acts as long as it is this player's turn."""
        view = self.view(game)
        while view.legal:
            bids = [command for command in view.legal if isinstance(command, BidCommand) and command.tricks <= 4]
            passes = [command for command in view.legal if isinstance(command, PassCommand)]
            command = (*bids, *passes, *view.legal)[0]
            answer = post_command.sync(
                game,
                client=self.client,
                body=command,
                if_match=f'"{view.version}"',
                idempotency_key=f"{self.name}-{view.version}",
            )
            self.played += 1
            game_after = accepted(CommandAnswer, answer).game
            if not isinstance(game_after, GameView):
                raise TypeError("the whole answer was asked for")
            view = game_after

    def check_scores(self, game: UUID) -> None:
        sheet = accepted(ScoreSheet, get_scores.sync(game, client=self.client))
        if len(sheet.rounds[-1].seats) != len(sheet.totals):
            raise RuntimeError("a scored round has all seats")

    def stream(self, game: UUID) -> Iterator[EventEnvelope]:
        """The events of the game, until it is over; hangs up once on the way and resumes."""
        last, identity_of_last, hang_up_at = 0, "0", 40
        while True:
            request = stream_request(game, last_event_id=identity_of_last)
            with self.client.get_httpx_client().stream(**request) as answer:
                if answer.status_code == 204:
                    return
                answer.raise_for_status()
                for name, identity, data in frames(answer.iter_lines()):
                    if name == "end":
                        return
                    if name == "reconnect" or identity is None:
                        break
                    if name == "reset":
                        raise RuntimeError(f"the log does not have event {last} any more: {data}")
                    event = EventEnvelope.from_dict(json.loads(data))
                    if event.seq != last + 1:
                        raise RuntimeError(f"event {event.seq} after {last}")
                    last, identity_of_last = event.seq, identity
                    yield event
                    if last == hang_up_at:
                        break


def frames(lines: Iterator[str]) -> Iterator[tuple[str | None, str | None, str]]:
    """The frames of a stream of server-sent events: event, id and data."""
    name, identity, data = None, None, ""
    for line in lines:
        if not line:
            if data:
                yield name, identity, data
            name, identity, data = None, None, ""
            continue
        field, _, value = line.partition(": ")
        match field:
            case "event":
                name = value
            case "id":
                identity = value
            case "data":
                data += value


def main(url: str, names: list[str]) -> None:
    players = [Player(url, name) for name in names]
    host = players[0]
    body = CreateGameRequest(ruleset=KnownRulesetId.DOUBLE_RISK)
    game = accepted(GameView, create_game.sync(client=host.client, body=body)).id
    for player in players[1:]:
        accepted(GameView, join_game.sync(game, client=player.client, body=JoinRequest()))
    print(game, flush=True)
    for waited in count():
        view = host.view(game)
        if all(seat.player for seat in view.seats):
            break
        if waited > PATIENCE:
            raise TimeoutError("the table does not fill")
        time.sleep(0.2)
    accepted(GameView, start_game.sync(game, client=host.client))

    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda player: player.play(game), players))
    for player in players:
        view = player.view(game)
        if view.status != "finished":
            raise RuntimeError(f"the game is {view.status}")
        if player.heard["round_scored"] < 18 or player.heard["game_finished"] != 1:
            raise RuntimeError(f"the stream left something out: {player.heard}")
        print(f"{player.name}: {player.played} commands, totals {view.scores.totals}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
