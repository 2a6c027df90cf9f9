"""A player: chooses a command from `legal`, posts it, and acts again when the stream brings the next turn."""

from collections.abc import Callable
from uuid import UUID

import httpx

from .advance import advance, resume_id
from .generated import Client
from .generated.api.accounts import get_me
from .generated.api.games import get_game
from .generated.api.play import post_command
from .generated.models import Account, Command, CommandAnswer, GameView
from .keeper import Keeper
from .problem import ProblemError, accepted
from .retry import Pauses, repeated
from .stream import Item, follow

# A function that chooses a command from `view.legal`. With None the player waits for the next event.
Choice = Callable[[GameView], Command | None]


# The types of commands that this version knows. A later version of the service may list others; leave them out.
KNOWN_COMMANDS = frozenset(
    """choose_seat cut redeal avoid enter_auction blind_dash bid pass dash_call estimate play resume""".split()
)


def choose(view: GameView) -> Command | None:
    """A bid of at most four tricks, else a pass, else the first legal command of a known type."""
    known = [command for command in view.legal if command.type_ in KNOWN_COMMANDS]
    bids = [command for command in known if command.type_ == "bid" and command.tricks and command.tricks <= 4]
    passes = [command for command in known if command.type_ == "pass"]
    return next(iter((*bids, *passes, *known)), None)


class Player:
    """`played` is the number of commands that the server accepted.

    `keeper` holds the player's seeds and proofs. By default it forgets them when the program ends.
    """

    def __init__(self, client: Client, choice: Choice = choose, keeper: Keeper | None = None) -> None:
        self.client = client
        self.choice = choice
        self.keeper = Keeper(client) if keeper is None else keeper
        self.played = 0

    def play(
        self, game: UUID, on_item: Callable[[Item], object] = lambda _: None, after: str | None = None
    ) -> GameView:
        """Plays until the game is over, and returns the last view.

        `after` resumes the stream after the item with that id; without it the stream begins behind the first view.
        """
        account = repeated(lambda: accepted(Account, get_me.sync_detailed(client=self.client))).id
        view, awaited = self._step(self._load(game))
        for item in follow(self.client, game, resume_id(view) if after is None else after):
            on_item(item)
            after_item = advance(view, account, item)
            if after_item is None:
                view, awaited = self._step(self._load(game))
            elif after_item.version > view.version and after_item.version >= awaited:
                view, awaited = self._step(after_item)
            else:
                view = after_item
        return view

    def act(self, game: UUID) -> GameView:
        """Loads the game and acts, without a stream, as long as it is this player's turn. Returns the last view."""
        while True:
            view, awaited = self._step(self._load(game))
            if view.version >= awaited:
                return view

    def _step(self, view: GameView) -> tuple[GameView, int]:
        """Acts on a view once. Returns the view, and the first version to act on again.

        After a 412, or a failure that leaves the outcome unknown, loads the view and acts on that.
        """
        pauses = Pauses()
        while True:
            try:
                awaited = self._attempt(view)
                if awaited is not None:
                    return view, awaited
            except (ProblemError, httpx.TransportError) as error:
                pauses.after(error)
            view = self._load(view.id)

    def _attempt(self, view: GameView) -> int | None:
        """The first version to act on again. None if the game changed meanwhile, for example after a timeout."""
        if self.keeper.see(view):
            return view.version + 1
        command = self.choice(view)
        if command is None:
            return view.version
        # The server compares the first two parts of the entity tag.
        tag = f'"{view.version}.{view.head.hash_[:16]}.{"0" * 16}"'
        answer = post_command.sync_detailed(
            view.id,
            client=self.client,
            body=command,
            if_match=tag,
            idempotency_key=view.head.hash_,
            prefer="return=minimal",
        )
        if answer.status_code == 412:
            return None
        version = accepted(CommandAnswer, answer).version
        self.played += 1
        return version

    def _load(self, game: UUID) -> GameView:
        return repeated(lambda: accepted(GameView, get_game.sync_detailed(game, client=self.client)))
