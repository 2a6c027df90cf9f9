"""Where a player's seeds and proofs are kept."""

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

# A change reads and writes a whole text, so changes take turns.
_CHANGING = threading.RLock()


class Store(Protocol):
    """Texts by key. What is stored must be there after a restart of the program."""

    def load(self, key: str) -> str | None: ...

    def save(self, key: str, text: str) -> None: ...


class MemoryStore:
    """Keeps texts as long as the program runs."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def load(self, key: str) -> str | None:
        return self._texts.get(key)

    def save(self, key: str, text: str) -> None:
        self._texts[key] = text


class FileStore:
    """Keeps each text in a file that only its owner can read. One program at a time uses a folder."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def load(self, key: str) -> str | None:
        try:
            return (self.folder / f"{key}.json").read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def save(self, key: str, text: str) -> None:
        """Writes another file first, so that an interrupted program leaves the text before."""
        written = self.folder / f"{key}.{uuid4().hex}.new"
        try:
            with open(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(written, self.folder / f"{key}.json")
        finally:
            written.unlink(missing_ok=True)


class Collection:
    """An object in a store, as JSON, with the member that changed last at its end. A store that fails is empty.

    `most` is how many members are kept: the ones that changed last.
    """

    def __init__(self, store: Store, key: str, most: int, on_error: Callable[[Exception], object]) -> None:
        self._store = store
        self._key = key
        self._most = most
        self._on_error = on_error

    def get(self, identity: str) -> Any:
        """None if there is no such member."""
        try:
            return self._read().get(identity)
        except Exception as error:
            self._on_error(error)
            return None

    def update(self, identity: str, change: Callable[[Any], Any]) -> bool:
        """Replaces a member by the result of `change`. None removes it. False if the store failed."""
        with _CHANGING:
            try:
                self._write(identity, change)
                return True
            except Exception as error:
                self._on_error(error)
                return False

    def _write(self, identity: str, change: Callable[[Any], Any]) -> None:
        members = self._read()
        before = members.pop(identity, None)
        after = change(before)
        if after == before:
            return
        if after is not None:
            members[identity] = after
        self._store.save(self._key, json.dumps(dict(list(members.items())[-self._most :])))

    def _read(self) -> dict[str, Any]:
        """A text that is no JSON object counts as empty."""
        try:
            value = json.loads(self._store.load(self._key) or "{}")
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}
