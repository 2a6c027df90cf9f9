"""What an app uses: the player with its seeds and proofs, the stream of a game and sessions.

`estimation_client.generated` has the API.
"""

from .advance import advance, resume_id
from .comparison import Comparison, Contradiction, Kept, OwnSeed, compare
from .generated.models import Session
from .keeper import Keeper
from .player import Player, choose
from .problem import ProblemError, accepted
from .session import SignedIn
from .store import FileStore, MemoryStore, Store
from .stream import End, Item, Reset, follow

__all__ = [
    "Comparison",
    "Contradiction",
    "End",
    "FileStore",
    "Item",
    "Keeper",
    "Kept",
    "MemoryStore",
    "OwnSeed",
    "Player",
    "ProblemError",
    "Reset",
    "Session",
    "SignedIn",
    "Store",
    "accepted",
    "advance",
    "choose",
    "compare",
    "follow",
    "resume_id",
]
