"""Two players open a table of four with the package: `python table.py URL NAME NAME`.

The id of the table is the first line that is printed, so that another program can sit down two more. The game starts
when the table is full.
"""

import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count

from estimation_client import Item, Player, Reset, SignedIn, accepted, follow
from estimation_client.generated.api.games import create_game, get_game, join_game, start_game
from estimation_client.generated.models import CreateGameRequest, EventEnvelope, GameView, JoinRequest, KnownRulesetId

# How many seconds the table may take to fill.
PATIENCE = 240

url, names = sys.argv[1], sys.argv[2:]
sessions = [SignedIn.register(url, name, "plum-kettle-orbit") for name in names]
host = sessions[0].client
body = CreateGameRequest(ruleset=KnownRulesetId.DOUBLE_RISK)
game = accepted(GameView, create_game.sync_detailed(client=host, body=body)).id
for session in sessions[1:]:
    accepted(GameView, join_game.sync_detailed(game, client=session.client, body=JoinRequest()))
print(game, flush=True)
for waited in count():
    view = accepted(GameView, get_game.sync_detailed(game, client=host))
    if all(seat.player for seat in view.seats):
        break
    if waited > PATIENCE / 0.2:
        raise TimeoutError("the table does not fill")
    time.sleep(0.2)
accepted(GameView, start_game.sync_detailed(game, client=host))


def play(session: SignedIn, name: str) -> str:
    """Stops once on the way, and resumes."""
    player, heard, last = Player(session.client), Counter[str](), "0"

    def hear(item: Item) -> None:
        if isinstance(item.content, EventEnvelope):
            heard[item.content.event.type_] += 1
        elif isinstance(item.content, Reset):
            heard["reset"] += 1

    for item in follow(session.client, game):
        player.act(game)
        hear(item)
        last = item.id
        if int(last.split("-")[0]) >= 40:
            break
    view = player.play(game, hear, last)
    assert view.status == "finished", f"the game is {view.status}"
    assert heard["round_scored"] >= 18 and heard["game_finished"] == 1, f"the stream left something out: {heard}"
    assert heard.total() == view.version, f"{heard.total()} of {view.version} events"
    return f"{name}: {player.played} commands, totals {view.scores.totals}"


with ThreadPoolExecutor() as pool:
    print(*pool.map(play, sessions, names), sep="\n")
