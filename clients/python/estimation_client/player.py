"""A player: chooses a command from `legal`, posts it, and acts again when the stream brings something new."""

from collections.abc import Callable
from uuid import UUID

import httpx

from .generated import Client
from .generated.api.games import get_game
from .generated.api.play import post_command
from .generated.models import Command, CommandAnswer, GameView
from .keeper import Keeper
from .problem import ProblemError, accepted
from .retry import Pauses
from .stream import Item, Reset, follow

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

    def play(self, game: UUID, on_item: Callable[[Item], object] = lambda _: None, after: str = "0") -> GameView:
        """Plays until the game is over, and returns the last view. `after` resumes the stream after that item."""
        view = self.act(game)
        for item in follow(self.client, game, after):
            on_item(item)
            # The view already contains the events up to its version.
            if isinstance(item.content, Reset) or item.content.seq > view.version:
                view = self.act(game)
        return view

    def act(self, game: UUID) -> GameView:
        """Posts commands as long as it is this player's turn, and returns the last view.

        Repeats what fails temporarily.
        """
        pauses = Pauses()
        while True:
            try:
                view = self._attempt(game)
            except (ProblemError, httpx.TransportError) as error:
                pauses.after(error)
                continue
            if view:
                return view

    def _attempt(self, game: UUID) -> GameView | None:
        """Loads the game and acts. None if the game changed meanwhile: the turn timed out, or a seed was opened."""
        loaded = get_game.sync_detailed(game, client=self.client)
        view, etag = accepted(GameView, loaded), loaded.headers["ETag"]
        while True:
            if self.keeper.see(view):
                return None
            command = self.choice(view)
            if command is None:
                return view
            answer = post_command.sync_detailed(
                game, client=self.client, body=command, if_match=etag, idempotency_key=view.head.hash_
            )
            if answer.status_code == 412:
                return None
            after = accepted(CommandAnswer, answer).game
            if not isinstance(after, GameView):
                raise TypeError("the answer has no view")
            view, etag = after, answer.headers["ETag"]
            self.played += 1
