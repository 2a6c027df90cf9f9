"""Which failures pass, and how long to wait for that."""

import time
from collections.abc import Callable
from typing import TypeVar

import httpx

from .problem import ProblemError

T = TypeVar("T")

# The first pause and the longest one, in seconds. Each pause is twice as long as the one before.
FIRST, LONGEST = 0.25, 30.0


class Pauses:
    """The pauses between the attempts of one task."""

    def __init__(self) -> None:
        self._next = FIRST

    def after(self, error: Exception | None = None) -> None:
        """Waits before the next attempt after `error`. Raises an error that a repetition does not mend."""
        if error and not is_temporary(error):
            raise error
        time.sleep(self._next)
        self._next = min(self._next * 2, LONGEST)

    def reset(self) -> None:
        """An attempt succeeded."""
        self._next = FIRST


def repeated(load: Callable[[], T]) -> T:
    """What `load` returns once it succeeds. Raises an error that a repetition does not mend."""
    pauses = Pauses()
    while True:
        try:
            return load()
        except (ProblemError, httpx.TransportError) as error:
            pauses.after(error)


def is_temporary(error: Exception) -> bool:
    if isinstance(error, ProblemError):
        return error.status == 429 or error.status >= 500
    return isinstance(error, httpx.TransportError)
