"""Which failures pass, and how long to wait for that."""

import time

import httpx

from .problem import ProblemError

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


def is_temporary(error: Exception) -> bool:
    if isinstance(error, ProblemError):
        return error.status == 429 or error.status >= 500
    return isinstance(error, httpx.TransportError)
