"""The view that a client keeps from the stream is the view that the server returns: `python views.py URL RULESET…`.

Players, a spectator and a client whose stream breaks follow a game and compare their views with the server's at each
version. Then a player plays a game with three bots, with few requests.
"""

import sys
import threading
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import httpx
from estimation_client import End, Item, Keeper, Player, SignedIn, accepted, advance, follow, resume_id
from estimation_client.generated import Client
from estimation_client.generated.api.accounts import get_me
from estimation_client.generated.api.games import (
    change_host,
    commit_seed,
    create_game,
    get_game,
    join_game,
    leave_seat,
    seat_bot,
    start_game,
)
from estimation_client.generated.api.play import post_command
from estimation_client.generated.models import (
    Account,
    CommandAnswer,
    CommitSeedRequest,
    CreateGameRequest,
    GameView,
    HandOverRequest,
    JoinRequest,
    KnownBotLevel,
    KnownRulesetId,
    RequestedOptions,
    RequestedOptionsLength,
    SeatBotRequest,
)
from estimation_client.generated.types import UNSET, Response

url, rulesets = sys.argv[1], [KnownRulesetId(name) for name in sys.argv[2:]]

# After so many commands one player leaves, and a bot plays on.
FORFEIT = 40

# Longer than the game, so that every turn has a deadline and none times out. In seconds.
CLOCK = 3600

# So many commands are between the repair of a stream and its next break, and during a break.
INTACT, BROKEN = 8, 3

# How many seconds a stream may take.
PATIENCE = 60


def is_over(view: GameView) -> bool:
    return view.status not in ("lobby", "playing")


def lasting(view: GameView) -> dict[str, Any]:
    """A view without what differs from one moment to the next."""
    members = view.to_dict()
    members.pop("remaining_ms", None)
    for seat in members["seats"]:
        del seat["connected"]
    return members


def load(client: Client, game: UUID) -> GameView:
    return accepted(GameView, get_game.sync_detailed(game, client=client))


class Follower:
    """Keeps a view from the stream. Loads it once."""

    def __init__(self, client: Client, game: UUID) -> None:
        self.client = client
        self.account = accepted(Account, get_me.sync_detailed(client=client)).id
        self.view = load(client, game)
        self.failure: Exception | None = None
        # How many turns came after missed events, and how many versions these brought.
        self.catch_ups = self.caught_up = 0
        self._changed = threading.Condition()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            for item in follow(self.client, self.view.id, resume_id(self.view)):
                after = advance(self.view, self.account, item)
                if after is None and isinstance(item.content, End):
                    after = load(self.client, self.view.id)
                assert after, f"a view could not be kept at version {self.view.version}: {item}"
                self._show(after, item)
        except Exception as error:
            self.failure = error
            raise

    def _show(self, view: GameView, item: Item) -> None:
        with self._changed:
            if item.turn and item.content is None:
                self.catch_ups += 1
                self.caught_up += view.version - self.view.version
            self.view = view
            self._changed.notify_all()

    def compare(self) -> None:
        """Compares the view with the server's, once both have the same version."""
        while True:
            loaded = load(self.client, self.view.id)
            with self._changed:
                reached = self._changed.wait_for(lambda: self.view.version >= loaded.version, PATIENCE)
                view = self.view
            assert reached, f"version {loaded.version} did not arrive: {self.failure}"
            if view.version == loaded.version:
                break
        kept, server = lasting(view), lasting(loaded)
        # Within a round a frame has the first 16 digits of a hash.
        server["head"]["hash"] = server["head"]["hash"][: len(kept["head"]["hash"])]
        wrong = [name for name in kept.keys() | server.keys() if kept.get(name) != server.get(name)]
        assert not wrong, f"version {view.version}: {[(name, kept.get(name), server.get(name)) for name in wrong]}"


class Breaking(httpx.HTTPTransport):
    """Breaks a stream in the middle of a command: after an event without a turn. The next connection waits until the
    stream is repaired.
    """

    def __init__(self) -> None:
        super().__init__()
        self.breaks = 0
        self.is_armed = False
        self.repaired = threading.Event()
        self.repaired.set()

    @property
    def is_broken(self) -> bool:
        return not self.repaired.is_set()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        assert self.repaired.wait(PATIENCE), "the stream was not repaired"
        answer = super().handle_request(request)
        if answer.headers.get("Content-Type", "").startswith("text/event-stream"):
            answer.stream = Frames(self, answer.stream)
        return answer


class Frames(httpx.SyncByteStream):
    def __init__(self, breaking: Breaking, stream: Any) -> None:
        self.breaking, self.stream = breaking, stream

    def __iter__(self) -> Iterator[bytes]:
        text = b""
        for chunk in self.stream:
            *frames, text = (text + chunk).split(b"\n\n")
            for frame in frames:
                yield frame + b"\n\n"
                if self.breaking.is_armed and frame.startswith(b"id:") and b'"turn":' not in frame:
                    self.breaking.is_armed = False
                    self.breaking.breaks += 1
                    self.breaking.repaired.clear()
                    raise httpx.ReadError("broken")

    def close(self) -> None:
        self.stream.close()


def client_of(session: SignedIn, transport: httpx.HTTPTransport) -> Client:
    client = Client(url)
    headers = {"Accept-Encoding": "identity"}
    return client.set_httpx_client(httpx.Client(base_url=url, auth=session, transport=transport, headers=headers))


def table(client: Client, ruleset: KnownRulesetId, turn_seconds: int | None = None) -> UUID:
    options = UNSET if ruleset == "nineteen" else RequestedOptions(length=RequestedOptionsLength.MICRO)
    body = CreateGameRequest(ruleset=ruleset, options=options, players=4, turn_seconds=turn_seconds)
    return accepted(GameView, create_game.sync_detailed(client=client, body=body)).id


def every_version(ruleset: KnownRulesetId) -> str:
    """All versions of a game, from the lobby with openings to the end."""
    sessions = [SignedIn.guest(url) for _ in range(5)]
    host, second, third, fourth, spectator = (session.client for session in sessions)
    game = table(host, ruleset, CLOCK)
    breaking = Breaking()
    interrupted = Follower(client_of(sessions[0], breaking), game)
    followers = [Follower(client, game) for client in (host, second, third, fourth, spectator)]
    comparisons = 0

    def compare() -> None:
        nonlocal comparisons
        intact = followers if breaking.is_armed or breaking.is_broken else [*followers, interrupted]
        for follower in intact:
            follower.compare()
        comparisons += len(intact)

    def done(answer: Response[Any]) -> None:
        assert answer.status_code < 300, answer
        compare()

    def join(client: Client) -> Response[Any]:
        return join_game.sync_detailed(game, client=client, body=JoinRequest())

    # The lobby: players join, leave and get bots for neighbours, the host changes, and a seed is committed and opened.
    compare()
    done(join(fourth))
    done(join(second))
    done(leave_seat.sync_detailed(game, 1, client=fourth))
    done(seat_bot.sync_detailed(game, 1, client=host, body=SeatBotRequest(level=KnownBotLevel.EASY)))
    done(leave_seat.sync_detailed(game, 1, client=host))
    done(join(third))
    done(join(fourth))
    done(change_host.sync_detailed(game, client=host, body=HandOverRequest(seat=2)))
    done(change_host.sync_detailed(game, client=second, body=HandOverRequest(seat=0)))
    keeper = Keeper(second)
    body = CommitSeedRequest(commitment=keeper.new_commitment())
    done(commit_seed.sync_detailed(game, client=second, body=body))
    done(start_game.sync_detailed(game, client=host))
    assert keeper.see(load(second, game)), "the seed was not opened"
    compare()

    commands, rest = 0, INTACT
    while True:
        actor = next((follower for follower in followers if follower.view.legal), None)
        if actor is None:
            if all(is_over(follower.view) for follower in followers):
                break
            # A bot plays for the player who left.
            compare()
            continue
        view = actor.view
        answer = post_command.sync_detailed(
            game,
            client=actor.client,
            body=view.legal[commands % len(view.legal)],
            if_match=f'"{view.version}.{view.head.hash_[:16]}.{"0" * 16}"',
            prefer="return=minimal",
        )
        accepted(CommandAnswer, answer)
        commands += 1
        if commands == FORFEIT:
            you = load(third, game).you
            assert you
            number = you.seat if isinstance(you.seat, int) else you.place
            assert isinstance(number, int)
            accepted(GameView, leave_seat.sync_detailed(game, number, client=third))
        if not breaking.is_armed:
            rest -= 1
        if rest == 0:
            if breaking.is_broken:
                breaking.repaired.set()
            else:
                breaking.is_armed = True
            rest = BROKEN if breaking.is_armed else INTACT
        compare()
    breaking.is_armed = False
    breaking.repaired.set()
    interrupted.compare()
    assert commands > FORFEIT and comparisons > 5 * commands, f"{commands} commands, {comparisons} comparisons"
    # Each stream begins with a whole turn; the others come after breaks, in which some versions were missed.
    assert interrupted.catch_ups >= breaking.breaks >= 3, f"{interrupted.catch_ups} catch-ups, {breaking.breaks} breaks"
    assert interrupted.caught_up > 2 * breaking.breaks, f"{interrupted.caught_up} versions, {breaking.breaks} breaks"
    return f"{interrupted.view.version} versions, {comparisons} comparisons, {breaking.breaks} broken streams"


class Counting(httpx.HTTPTransport):
    requests = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        # The keeper's attempts to get the proof of the start depend on time.
        self.requests += not request.url.path.endswith("/proof")
        return super().handle_request(request)


def with_bots(ruleset: KnownRulesetId) -> str:
    """A game with three bots. The player sends hardly more requests than commands."""
    session = SignedIn.guest(url)
    game = table(session.client, ruleset)
    for seat in (1, 2, 3):
        body = SeatBotRequest(level=KnownBotLevel.EASY)
        accepted(GameView, seat_bot.sync_detailed(game, seat, client=session.client, body=body))
    accepted(GameView, start_game.sync_detailed(game, client=session.client))
    counting = Counting()
    player = Player(client_of(session, counting))
    view = player.play(game)
    assert view.status == "finished", view.status
    assert lasting(view) == lasting(load(session.client, game))
    requests = counting.requests
    assert player.played > 20 and requests <= 1.2 * player.played, f"{requests} requests, {player.played} commands"
    return f"{requests} requests for {player.played} commands"


for ruleset in rulesets:
    print(f"{ruleset.value}: {every_version(ruleset)}; {with_bots(ruleset)}")
