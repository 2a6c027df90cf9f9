"""A session: registers an account, and refreshes the access token shortly before it expires."""

import threading
import time
from collections.abc import Generator
from typing import Self

import httpx

from .generated import Client
from .generated.api.accounts import register_account, register_guest
from .generated.api.sessions import refresh_session
from .generated.models import RefreshRequest, RegisterGuestRequest, RegisterRequest, Registration, Session
from .generated.types import UNSET
from .problem import accepted

# An access token with less time left is refreshed first, in seconds.
MARGIN = 30

# The server answers each request within 10 seconds.
TIMEOUT = httpx.Timeout(15)


class SignedIn(httpx.Auth):
    """`session` is the answer of a registration, a sign-in or a refresh. `client` sends its access token."""

    def __init__(self, url: str, session: Session) -> None:
        self.session = session
        self.client = Client(url, timeout=TIMEOUT, httpx_args={"auth": self})
        self._anonymous = Client(url, timeout=TIMEOUT)
        self._expires_at = time.monotonic() + session.expires_in
        self._refreshing = threading.Lock()

    @classmethod
    def guest(cls, url: str, display_name: str | None = None) -> Self:
        """Registers a guest, who has no password."""
        body = RegisterGuestRequest(display_name=display_name or UNSET)
        answer = register_guest.sync_detailed(client=Client(url, timeout=TIMEOUT), body=body)
        return cls(url, accepted(Registration, answer).session)

    @classmethod
    def register(cls, url: str, username: str, password: str) -> Self:
        """Registers an account with a password."""
        body = RegisterRequest(username=username, password=password)
        answer = register_account.sync_detailed(client=Client(url, timeout=TIMEOUT), body=body)
        return cls(url, accepted(Registration, answer).session)

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """httpx calls this for each request."""
        request.headers["Authorization"] = f"Bearer {self._access_token()}"
        yield request

    def _access_token(self) -> str:
        # Threads that need a new token at the same time share one refresh, because a refresh token works once.
        with self._refreshing:
            if time.monotonic() > self._expires_at - MARGIN:
                body = RefreshRequest(refresh_token=self.session.refresh_token)
                answer = refresh_session.sync_detailed(client=self._anonymous, body=body)
                self.session = accepted(Session, answer)
                self._expires_at = time.monotonic() + self.session.expires_in
            return self.session.access_token
