"""Two players of a private table hold proof of it with the package: `python proof.py URL FOLDER`.

One opening fails, one player's program restarts between commitment and opening, and the service contradicts what they
kept. FOLDER gets the files of the game.
"""

import json
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import httpx
from estimation_client import FileStore, Item, Keeper, Player, Session, SignedIn, accepted, compare
from estimation_client.generated import Client
from estimation_client.generated.api.games import create_game, get_game, join_by_code, start_game
from estimation_client.generated.models import (
    CreateGameRequest,
    EventEnvelope,
    GameView,
    Head,
    JoinByCodeRequest,
    KnownRulesetId,
    Visibility,
)

# How many seconds the table may take for what it waits for.
PATIENCE = 60

url, folder = sys.argv[1], Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
stored = folder / "session.json"


def store(session: Session) -> None:
    stored.write_text(json.dumps(session.to_dict()))


def guest() -> SignedIn:
    """The guest's program, with a session from before."""
    return SignedIn(url, Session.from_dict(json.loads(stored.read_text())), store)


def fail(error: Exception) -> None:
    raise error


def player(owner: str, client: Client) -> Player:
    return Player(client, keeper=Keeper(client, FileStore(folder / owner), fail))


def visit(game: UUID) -> None:
    """Runs the guest's program until it has committed to a seed."""
    subprocess.run([sys.executable, __file__, url, folder, str(game)], check=True)


if len(sys.argv) > 3:
    player("guest", guest().client).act(UUID(sys.argv[3]))
    sys.exit()

host = SignedIn.guest(url).client
hosting = player("host", host)
table = CreateGameRequest(
    ruleset=KnownRulesetId.NINETEEN,
    players=2,
    opening_seconds=15,
    visibility=Visibility.PRIVATE,
    seed_commitment=hosting.keeper.new_commitment(),
)
opened = accepted(GameView, create_game.sync_detailed(client=host, body=table))
game = opened.id
sitting = SignedIn.guest(url)
store(sitting.session)
accepted(GameView, join_by_code.sync_detailed(str(opened.join_code), client=sitting.client, body=JoinByCodeRequest()))
visit(game)


def states() -> list[str]:
    """The states of the players' commitments, by place."""
    view = accepted(GameView, get_game.sync_detailed(game, client=host))
    return [one.status for one in view.fairness.seed_commitments]


assert states() == ["committed", "committed"], states()

# The guest's program does not run during the first opening. The host's commits again, the guest's at its next visit.
accepted(GameView, start_game.sync_detailed(game, client=host))
failed = threading.Event()


def hear(item: Item) -> None:
    if isinstance(item.content, EventEnvelope) and item.content.event.type_ == "opening_failed":
        failed.set()


with ThreadPoolExecutor() as pool:
    ended = pool.submit(hosting.play, game, hear)
    assert failed.wait(PATIENCE), "the opening did not fail"
    until = time.monotonic() + PATIENCE
    while "committed" not in states():
        assert time.monotonic() < until, "the host did not commit again"
        time.sleep(0.05)
    assert states() == ["committed", "missing"], states()
    visit(game)
    assert states() == ["committed", "committed"], states()

    # The guest's program starts again, during the second opening.
    accepted(GameView, start_game.sync_detailed(game, client=host))
    returned = player("guest", guest().client)
    views = [returned.play(game), ended.result()]
assert all(view.status == "finished" for view in views), [view.status for view in views]

for keeper in (returned.keeper, hosting.keeper):
    comparison = keeper.compare(game)
    assert comparison.compared == ["bundle", "head", "opening", "seed", "promise", "start"], comparison
    assert comparison.contradictions == [], comparison
comparison.save(folder)
kept = hosting.keeper.kept(game)
assert kept and kept.head


class Changing(httpx.HTTPTransport):
    """A proxy that changes the bundle."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = super().handle_request(request)
        if not request.url.path.endswith("/bundle"):
            return answer
        text = answer.read().decode()
        changed = re.sub(r'(\{\\"client_seeds\\":\[\\")[0-9a-f]{4}', r"\1beef", text)
        assert changed != text
        return httpx.Response(200, text=changed)


# What was kept stays.
signed_in = host.get_httpx_client()
headers = {"Accept-Encoding": "identity"}
host.set_httpx_client(httpx.Client(base_url=url, auth=signed_in.auth, transport=Changing(), headers=headers))
comparison = hosting.keeper.compare(game)
host.set_httpx_client(signed_in)
assert [one.check for one in comparison.contradictions] == ["head", "seed", "start"], comparison
assert hosting.keeper.kept(game) == kept

bundle = (folder / f"{game}.bundle.json").read_text()
comparison = compare(game, replace(kept, head=Head(seq=kept.head.seq, hash_="0" * 64)), bundle)
assert [one.check for one in comparison.contradictions] == ["head"], comparison

hosting.keeper.forget(game)
assert hosting.keeper.kept(game) is None
print(game)
