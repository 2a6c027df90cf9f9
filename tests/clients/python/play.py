"""Plays a whole game against itself with the package: `python play.py URL RULESET`. Then it reads the game back:
scores, events, the list and a problem. It continues a stored session and signs in to an account.
"""

import base64
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
from estimation_client import Item, Player, ProblemError, Reset, Session, SignedIn, accepted
from estimation_client.generated.api.accounts import get_me
from estimation_client.generated.api.games import create_game, join_game, list_games, start_game
from estimation_client.generated.api.play import get_scores, list_events
from estimation_client.generated.models import (
    Account,
    CreateGameRequest,
    EventEnvelope,
    EventPage,
    GamePage,
    GameView,
    JoinRequest,
    KnownRulesetId,
    RequestedOptions,
    RequestedOptionsLength,
    ScoreSheet,
)
from estimation_client.generated.types import UNSET

url, ruleset = sys.argv[1], KnownRulesetId(sys.argv[2])
nineteen = ruleset == KnownRulesetId.NINETEEN
sessions = [SignedIn.guest(url) for _ in range(2 if nineteen else 4)]
host = sessions[0]
options = UNSET if nineteen else RequestedOptions(length=RequestedOptionsLength.MICRO)
table = CreateGameRequest(ruleset=ruleset, options=options, players=len(sessions))
game = accepted(GameView, create_game.sync_detailed(client=host.client, body=table)).id
for other in sessions[1:]:
    accepted(GameView, join_game.sync_detailed(game, client=other.client, body=JoinRequest()))
accepted(GameView, start_game.sync_detailed(game, client=host.client))

heard = [0]


def in_order(item: Item) -> None:
    """The host's stream brings each event once."""
    if isinstance(item.content, Reset):
        raise RuntimeError(f"{item} after {heard[-1]}")
    if isinstance(item.content, EventEnvelope):
        if item.content.seq != heard[-1] + 1:
            raise RuntimeError(f"{item} after {heard[-1]}")
        heard.append(item.content.seq)


players = [Player(session.client) for session in sessions]
with ThreadPoolExecutor() as pool:
    first = pool.submit(players[0].play, game, in_order, "0")
    others = pool.map(lambda player: player.play(game), players[1:])
    views = [first.result(), *others]
assert all(view.status == "finished" for view in views), [view.status for view in views]
assert heard[-1] == views[0].version, f"the stream ended with event {heard[-1]}"

# Reads what an app shows after a game, with a stored session whose access token has expired.
header, payload, signature = host.session.access_token.split(".")
claims = json.loads(base64.urlsafe_b64decode(payload + "==")) | {"exp": 1}
expired = f"{header}.{base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip('=')}.{signature}"
stored = json.dumps(host.session.to_dict() | {"access_token": expired})
refreshed: list[Session] = []
returned = SignedIn(url, Session.from_dict(json.loads(stored)), refreshed.append)
sheet = accepted(ScoreSheet, get_scores.sync_detailed(game, client=returned.client))
assert refreshed == [returned.session], "on_refresh was not called"
assert returned.session.refresh_token != host.session.refresh_token, "the session was not refreshed"
assert sheet.status == "finished" and len(sheet.rounds[0].seats) == len(sheet.totals), "the score sheet is incomplete"
events = accepted(EventPage, list_events.sync_detailed(game, client=returned.client))
assert events.items[0].event.type_ == "game_created", "the first event is not game_created"
games = accepted(GamePage, list_games.sync_detailed(client=returned.client, mine=True))
assert games.items[0].id == game, "the list does not have the game"
try:
    accepted(GameView, start_game.sync_detailed(game, client=returned.client))
    raise SystemExit("a second start was not refused")
except ProblemError as refused:
    assert refused.problem and refused.problem.code, "the problem was not decoded"


class Refusing(httpx.HTTPTransport):
    """Refuses an access token before the client expects it."""

    refused = f"Bearer {returned.session.access_token}"
    refusals = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.headers["Authorization"] != self.refused:
            return super().handle_request(request)
        self.refusals += 1
        return httpx.Response(401, json={"status": 401, "code": "token-expired"})


# One refresh, and the request is repeated.
transport = Refusing()
returned.client.set_httpx_client(httpx.Client(base_url=url, auth=returned, transport=transport))
accepted(GameView, create_game.sync_detailed(client=returned.client, body=table))
assert (transport.refusals, len(refreshed)) == (1, 2), "the request was not repeated after one refresh"

credentials = (f"player{time.time_ns() // 1000}", "plum-kettle-orbit")
registered = accepted(Account, get_me.sync_detailed(client=SignedIn.register(url, *credentials).client))
again = accepted(Account, get_me.sync_detailed(client=SignedIn.sign_in(url, *credentials).client))
assert again.id == registered.id, "signed in to another account"

commands = sum(player.played for player in players)
print(f"{ruleset.value}: {commands} commands, totals {sheet.totals}")
