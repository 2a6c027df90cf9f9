"""What an app uses: the player, the stream of a game and sessions. `estimation_client.generated` has the API."""

from .generated.models import Session
from .player import Player, choose
from .problem import ProblemError, accepted
from .session import SignedIn
from .stream import Item, Reset, follow

__all__ = ["Item", "Player", "ProblemError", "Reset", "Session", "SignedIn", "accepted", "choose", "follow"]
