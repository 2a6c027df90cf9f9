"""A session: signs in, and refreshes the access token shortly before it expires or when the server refuses it."""

import base64
import json
import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Self

import httpx

from .generated import Client
from .generated.api.accounts import register_account, register_guest
from .generated.api.sessions import create_session, refresh_session
from .generated.models import (
    LoginRequest,
    RefreshRequest,
    RegisterGuestRequest,
    RegisterRequest,
    Registration,
    Session,
)
from .generated.types import UNSET
from .problem import accepted

# An access token with less time left is refreshed first, in seconds.
MARGIN = 30

# The server answers each request within 10 seconds.
TIMEOUT = httpx.Timeout(15)


class SignedIn(httpx.Auth):
    """`session` is a new session or a stored one. `client` sends its access token.

    The client calls `on_refresh` after each refresh, before it sends a request with the new token. `on_refresh` must
    not send requests with this client.
    """

    def __init__(self, url: str, session: Session, on_refresh: Callable[[Session], object] = lambda _: None) -> None:
        self.session = session
        self.on_refresh = on_refresh
        self.client = Client(url, timeout=TIMEOUT, httpx_args={"auth": self})
        self._anonymous = Client(url, timeout=TIMEOUT)
        self._expires_at = time.monotonic() + _seconds_left(session)
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

    @classmethod
    def sign_in(cls, url: str, username: str, password: str) -> Self:
        """Signs in to an account that has a password."""
        body = LoginRequest(username=username, password=password)
        answer = create_session.sync_detailed(client=Client(url, timeout=TIMEOUT), body=body)
        return cls(url, accepted(Session, answer))

    def sync_auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """httpx calls this for each request. If the access token has expired, refreshes it and repeats the request."""
        token = self._authorize(request)
        answer = yield request
        if answer.status_code == 401:
            answer.read()
            if _is_expired(answer):
                self._authorize(request, refused=token)
                yield request

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """The same for the asynchronous operations."""
        token = self._authorize(request)
        answer = yield request
        if answer.status_code == 401:
            await answer.aread()
            if _is_expired(answer):
                self._authorize(request, refused=token)
                yield request

    def _authorize(self, request: httpx.Request, refused: str | None = None) -> str:
        """Adds an access token to the request, and returns it: a new one if the server has refused the current one."""
        # Threads that need a new token at the same time share one refresh, because a refresh token works once.
        with self._refreshing:
            if time.monotonic() > self._expires_at - MARGIN or self.session.access_token == refused:
                body = RefreshRequest(refresh_token=self.session.refresh_token)
                answer = refresh_session.sync_detailed(client=self._anonymous, body=body)
                self.session = accepted(Session, answer)
                self._expires_at = time.monotonic() + self.session.expires_in
                self.on_refresh(self.session)
            token = self.session.access_token
        request.headers["Authorization"] = f"Bearer {token}"
        return token


def _seconds_left(session: Session) -> float:
    """How long the access token is valid: until the `exp` claim of the JWT (RFC 7519)."""
    try:
        payload = session.access_token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return float(claims["exp"]) - time.time()
    except (IndexError, KeyError, TypeError, ValueError):
        return session.expires_in


def _is_expired(answer: httpx.Response) -> bool:
    try:
        problem = answer.json()
    except ValueError:
        return False
    return isinstance(problem, dict) and problem.get("code") == "token-expired"
