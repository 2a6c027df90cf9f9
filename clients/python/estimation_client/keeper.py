"""Holds proof for a player, in a store: own seeds at every table, and what the service said of each game."""

import secrets
import threading
from collections.abc import Callable
from dataclasses import asdict
from typing import Any
from uuid import UUID

import httpx

from .comparison import Comparison, Kept, OwnSeed, commitment_to, compare, promise_members
from .generated import Client
from .generated.api.games import commit_seed, open_seed
from .generated.models import CommitSeedRequest, GameView, Head, LogPromise, OpenSeedRequest, SeedCommitment
from .generated.types import Response, Unset
from .problem import ProblemError, accepted, refusal
from .retry import Pauses, is_temporary
from .store import Collection, MemoryStore, Store

# How many seeds are kept: more than the tables at which a player waits.
SEEDS = 200

# How many games are kept: the ones that changed last.
GAMES = 50

# How often is asked for what waits for the public log, in about a minute. The log has an entry after some seconds.
LOG_ATTEMPTS = 9

# How many commitments are tried. A table that knows them all is not one to commit at.
DRAWS = 3


class Keeper:
    """A store that fails keeps nothing, and `on_store_error` is called: the player then goes without a seed, because a
    game never starts without a seed that a player committed to.
    """

    def __init__(
        self,
        client: Client,
        store: Store | None = None,
        on_store_error: Callable[[Exception], object] = lambda _: None,
    ) -> None:
        self.client = client
        self.on_store_error = on_store_error
        store = MemoryStore() if store is None else store
        self._seeds = Collection(store, "estimation.seeds", SEEDS, lambda error: self.on_store_error(error))
        self._games = Collection(store, "estimation.games", GAMES, lambda error: self.on_store_error(error))
        # The games whose proof of the start was asked for.
        self._starts: dict[UUID, threading.Thread] = {}
        # Commitments that their tables did not show yet.
        self._unshown: dict[UUID, str] = {}
        # Tables at which a commitment of another device was replaced. Two devices must not do so in turn.
        self._replaced: set[UUID] = set()

    def new_commitment(self) -> str | None:
        """Draws a seed, keeps it and returns its commitment, for the `seed_commitment` of a request that takes a seat.

        None if the store failed.
        """
        seed = secrets.token_hex(32)
        commitment = commitment_to(seed) or ""
        return commitment if self._seeds.update(commitment, lambda _: {"seed": seed}) else None

    def see(self, view: GameView) -> bool:
        """Takes a view of a game in which the player has a seat. Keeps its head and its promise, commits to a seed
        before the start, and opens it during the opening; the head from before that is kept too. `Player` calls this
        for every view.

        True if the table changed: load it again.
        """
        if view.you is None:
            return False
        is_lobby = view.status == "lobby"
        own = self._own_seed(view) if is_lobby else None

        def keep(before: dict[str, Any] | None) -> dict[str, Any]:
            after = dict(before or {})
            # The 16 digits of a hash that a stream has prove too little.
            if len(view.head.hash_) > 16 and after.get("head", {}).get("seq", 0) < view.head.seq:
                after["head"] = view.head.to_dict()
            if not isinstance(view.log, Unset):
                after.setdefault("promise", promise_members(view.log))
            if is_lobby:
                after.pop("seed", None)
            return after | ({"seed": asdict(own)} if own else {})

        self._games.update(str(view.id), keep)
        if not isinstance(view.log, Unset) and view.id not in self._starts:
            # In a thread of its own, because a proof takes seconds.
            asking = threading.Thread(target=self._prove_start, args=(view.id,), daemon=True)
            self._starts[view.id] = asking
            asking.start()
        return is_lobby and self._tend(view)

    def kept(self, game: UUID) -> Kept | None:
        """What is kept of a game."""
        kept: dict[str, Any] | None = self._games.get(str(game))
        if kept is None:
            return None
        return Kept(
            head=Head.from_dict(kept["head"]) if "head" in kept else None,
            opening_head=Head.from_dict(kept["opening_head"]) if "opening_head" in kept else None,
            promise=LogPromise.from_dict(kept["promise"]) if "promise" in kept else None,
            start_proof=kept.get("start_proof"),
            seed=OwnSeed(**kept["seed"]) if "seed" in kept else None,
        )

    def forget(self, game: UUID) -> None:
        """Forgets a game, for example because it was verified."""
        self._games.update(str(game), lambda _: None)

    def compare(self, game: UUID) -> Comparison:
        """Loads the bundle of a game that is over, and compares it with what was kept. Waits up to a minute for the
        public log to have the end.

        This does not verify the game, and forgets nothing: see `Comparison` and `forget`. Raises a `ProblemError` if
        the server does not return the bundle, `not-logged` if the log has no end by then.
        """
        text = self._once_logged(f"/v1/games/{game}/bundle")
        if game in self._starts:
            self._starts[game].join()
        return compare(game, self.kept(game) or Kept(), text)

    def _own_seed(self, view: GameView) -> OwnSeed | None:
        """The commitment of a view whose seed is in the store."""
        own = _own(view)
        if own is None or own.commitment is None or self._seeds.get(own.commitment) is None:
            return None
        return OwnSeed(own.place, own.commitment, own.status == "opened")

    def _tend(self, view: GameView) -> bool:
        """Commits or opens, if the player's place needs it. True if the server accepted."""
        if view.you is None or isinstance(view.you.place, Unset):
            return False
        own = _own(view)
        drawn = self._seeds.get(own.commitment) if own and own.commitment else None
        is_opening = not isinstance(view.fairness.opening_until, Unset)
        if own and own.commitment and own.commitment == self._unshown.get(view.id):
            del self._unshown[view.id]
        if own is None:
            return not is_opening and self._commit(view.id, is_due=False)
        is_committed = own.status == "committed"
        if is_opening:
            return is_committed and drawn is not None and self._open(view, own.place, drawn["seed"])
        if own.status in ("void", "missing"):
            return self._commit(view.id, is_due=True)
        if not is_committed or drawn is not None or view.id in self._replaced:
            return False
        self._replaced.add(view.id)
        return self._commit(view.id, is_due=False)

    def _commit(self, game: UUID, is_due: bool) -> bool:
        """`is_due`: without a commitment, even to none, the game does not start."""
        for _ in range(DRAWS):
            commitment = self._commitment_for(game)
            if commitment is None and not is_due:
                return False
            body = CommitSeedRequest(commitment=commitment)
            code = _refused(commit_seed.sync_detailed(game, client=self.client, body=body))
            if code != "seed-commitment-known":
                return code is None
            self._unshown.pop(game, None)
        return False

    def _commitment_for(self, game: UUID) -> str | None:
        """The same until the table shows it: each repetition would store a seed, and the oldest seeds are forgotten."""
        drawn = self._unshown.get(game)
        if drawn is not None and self._seeds.get(drawn) is not None:
            return drawn
        commitment = self.new_commitment()
        if commitment is not None:
            self._unshown[game] = commitment
        return commitment

    def _open(self, view: GameView, place: int, seed: str) -> bool:
        game, head, commitment = str(view.id), view.head.to_dict(), commitment_to(seed) or ""
        # If the seed was sent before, the server can know it since, whatever it answered: the first head counts.
        self._seeds.update(commitment, lambda before: {"seed": seed, "opening_head": head} | (before or {}))
        first = (self._seeds.get(commitment) or {}).get("opening_head", head)
        self._games.update(game, lambda before: (before or {}) | {"opening_head": first})
        answer = open_seed.sync_detailed(view.id, client=self.client, body=OpenSeedRequest(client_seed=seed))
        if _refused(answer) is not None:
            return False
        own = OwnSeed(place, commitment, is_opened=True)
        self._games.update(game, lambda before: (before or {}) | {"seed": asdict(own)})
        return True

    def _prove_start(self, game: UUID) -> None:
        """Keeps the proof of the start, unless it is kept or could not be had."""
        if "start_proof" in (self._games.get(str(game)) or {}):
            return
        try:
            proof = self._once_logged(f"/v1/games/{game}/proof?entry=start")
        except (ProblemError, httpx.TransportError):
            return
        self._games.update(str(game), lambda before: (before or {}) | {"start_proof": proof})

    def _once_logged(self, path: str) -> str:
        """What the server returns once the public log has an entry. Raises the last error if it does not."""
        pauses, left = Pauses(), LOG_ATTEMPTS
        while True:
            try:
                return self._text(path)
            except (ProblemError, httpx.TransportError) as error:
                left -= 1
                is_early = isinstance(error, ProblemError) and error.problem and error.problem.code == "not-logged"
                if left == 0 or not (is_early or is_temporary(error)):
                    raise
            pauses.after()

    def _text(self, path: str) -> str:
        answer = self.client.get_httpx_client().get(path)
        if not answer.is_success:
            raise refusal(answer)
        return answer.content.decode(errors="replace")


def _own(view: GameView) -> SeedCommitment | None:
    """The commitment of the player's place."""
    place = view.you.place if view.you else None
    return next((one for one in view.fairness.seed_commitments if one.place == place), None)


def _refused(answer: Response[Any]) -> str | None:
    """The code of a refusal; None if the server accepted. Raises what a repetition mends."""
    try:
        accepted(GameView, answer)
        return None
    except ProblemError as error:
        if is_temporary(error):
            raise
        return error.problem.code if error.problem else str(error.status)
