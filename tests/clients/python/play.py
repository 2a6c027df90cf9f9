"""Plays a whole game against itself with the package: `python play.py URL RULESET`. Then it reads the game back:
scores, events, the list and a problem.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

from estimation_client import Item, Player, ProblemError, Reset, SignedIn, accepted
from estimation_client.generated.api.games import create_game, join_game, list_games, start_game
from estimation_client.generated.api.play import get_scores, list_events
from estimation_client.generated.models import (
    CreateGameRequest,
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
    if isinstance(item.content, Reset) or item.content.seq != heard[-1] + 1:
        raise RuntimeError(f"{item} after {heard[-1]}")
    heard.append(item.content.seq)


players = [Player(session.client) for session in sessions]
with ThreadPoolExecutor() as pool:
    first = pool.submit(players[0].play, game, in_order)
    others = pool.map(lambda player: player.play(game), players[1:])
    views = [first.result(), *others]
assert all(view.status == "finished" for view in views), [view.status for view in views]
assert heard[-1] == views[0].version, f"the stream ended with event {heard[-1]}"

# Reads what an app shows after a game, with a session that must be refreshed first.
expired = type(host.session).from_dict(host.session.to_dict() | {"expires_in": 0})
returned = SignedIn(url, expired)
sheet = accepted(ScoreSheet, get_scores.sync_detailed(game, client=returned.client))
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
commands = sum(player.played for player in players)
print(f"{ruleset.value}: {commands} commands, totals {sheet.totals}")
