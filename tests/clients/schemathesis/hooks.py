"""What Schemathesis has to know of the service: how to sign in, and that streams do not end by themselves."""

import os
import re
import secrets
import threading
import time
from typing import Any

import requests
import schemathesis
from requests.adapters import HTTPAdapter

URL = os.environ["ESTIMATION_URL"]

# How long a stream is listened to, in seconds.
LISTENING = 0.2

_send = HTTPAdapter.send


def send(self: HTTPAdapter, request: requests.PreparedRequest, **kwargs: Any) -> requests.Response:
    """Sends a request; of a stream it takes what comes at once and hangs up."""
    path = (request.path_url or "").split("?")[0]
    # A poll may wait for a minute; here it asks whether there is something now.
    request.url = re.sub(r"([?&]wait=)[1-5]?[0-9](?=&|$)", r"\g<1>0", request.url or "")
    if not path.endswith("/stream"):
        return _send(self, request, **kwargs)
    response = _send(self, request, **{**kwargs, "stream": True})
    if response.headers.get("content-type") != "text/event-stream":
        return response
    connection = getattr(response.raw, "_connection", None)
    heard = b""
    if connection is not None and connection.sock is not None:
        connection.sock.settimeout(LISTENING)
        until = time.monotonic() + LISTENING
        try:
            while time.monotonic() < until and (piece := response.raw.read1(65536)):
                heard += piece
        except Exception:  # Nothing more is said for now.
            pass
    response._content = heard
    response._content_consumed = True  # type: ignore[attr-defined]
    response.raw.close()
    return response


HTTPAdapter.send = send  # type: ignore[method-assign]


@schemathesis.deserializer("text/html", "application/x-ndjson")
def text(context: schemathesis.DeserializationContext, response: schemathesis.Response) -> str:
    """Pages and lines are texts to the spec."""
    return response.content.decode()


@schemathesis.auth()
class SignedIn:
    """A guest, and another one as soon as that one is gone or signed out."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.token: str | None = None

    def get(self, case: schemathesis.Case, context: schemathesis.AuthContext) -> str:
        with self.lock:
            if self.token is None or not self.is_good(self.token):
                body = {"username": f"u{secrets.token_hex(8)}", "password": "plum-kettle-orbit"}
                answer = requests.post(f"{URL}/v1/accounts", json=body, timeout=10)
                self.token = str(answer.json()["session"]["access_token"])
            return self.token

    @staticmethod
    def is_good(token: str) -> bool:
        answer = requests.get(f"{URL}/v1/me", headers={"Authorization": f"Bearer {token}"}, timeout=10)
        return answer.status_code == 200

    def set(self, case: schemathesis.Case, data: str, context: schemathesis.AuthContext) -> None:
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Bearer {data}"
