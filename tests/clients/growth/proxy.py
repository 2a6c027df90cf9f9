"""A proxy that plays a later version of the service: it adds to the answers what the contract allows to be added.

    python proxy.py URL

It prints its own address. Every object of every JSON answer has an unknown field, except the commands in `legal`, which
clients post back unchanged. There are values that are unknown today: a kind of event in lists of events and in streams, a
status in lists of games, a code in problems and a reason in score sheets. Each `legal` begins with a command of an unknown
type, also when another player must act.

Each stream is cut after 40 events, so that clients must resume it.
"""

import json
import signal
import sys
from http.client import HTTPConnection, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

TARGET = urlsplit(sys.argv[1]).netloc
HOP_BY_HOP = {"accept-encoding", "connection", "content-length", "host", "keep-alive", "transfer-encoding", "upgrade", "http2-settings"}
# How often each change was made, so that a run shows that it tested something.
CHANGES = dict.fromkeys(["field", "event", "status", "code", "reason", "command", "cut"], 0)
# The number of events after which a stream is cut.
CUT = 40


def add_fields(value: Any) -> Any:
    if isinstance(value, list):
        return [add_fields(item) for item in value]
    if not isinstance(value, dict):
        return value
    CHANGES["field"] += 1
    grown = {name: member if name == "legal" else add_fields(member) for name, member in value.items()}
    return grown | {"added_later": {"some": ["value", 1, None]}}


def add_values(path: str, status: int, body: Any) -> None:
    """Replaces values where a client reads them without acting on them."""
    last = path.split("?")[0].rsplit("/", 1)[-1]
    if status >= 400:
        body["code"] = "moon_too_bright"
        CHANGES["code"] += 1
    elif last == "events" and body["items"]:
        item = body["items"][-1]
        body["items"].append(item | {"seq": item["seq"] + 1, "event": {"type": "cards_shown", "seat": 1}})
        CHANGES["event"] += 1
    elif last == "games" and body.get("items"):
        body["items"][-1]["status"] = "paused"
        CHANGES["status"] += 1
    elif last == "scores":
        for cell in body["rounds"][0]["seats"]:
            cell["lines"].append({"points": 3, "reason": "luck"})
            CHANGES["reason"] += 1


def add_commands(value: Any) -> None:
    """Begins each `legal` with a command that is unknown today."""
    if isinstance(value, list):
        for item in value:
            add_commands(item)
    elif isinstance(value, dict):
        for member in value.values():
            add_commands(member)
        if "legal" in value:
            value["legal"].insert(0, {"type": "swap_hands", "with": 2, "cards": ["AS"]})
            CHANGES["command"] += 1


class Proxy(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65536

    def forward(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
        headers["Accept-Encoding"] = "identity"
        upstream = HTTPConnection(TARGET, timeout=60)
        upstream.request(self.command, self.path, body if "Content-Length" in self.headers else None, headers)
        answer = upstream.getresponse()
        if "event-stream" in answer.getheader("Content-Type", ""):
            self.forward_stream(answer)
            upstream.close()
            return
        content = answer.read()
        if content and "json" in answer.getheader("Content-Type", ""):
            value = json.loads(content)
            add_values(self.path, answer.status, value)
            add_commands(value)
            content = json.dumps(add_fields(value)).encode()
        self.send_response(answer.status)
        for name, header in answer.getheaders():
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, header)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()
        upstream.close()

    def forward_stream(self, answer: HTTPResponse) -> None:
        self.close_connection = True
        self.send_response(answer.status)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        events = 0
        try:
            while events < CUT and (line := answer.readline()):
                if line.startswith(b"data: {"):
                    event = json.loads(line[6:])
                    if event.get("event", {}).get("type") == "trick_taken":
                        event["event"]["type"] = "trick_shown"
                        CHANGES["event"] += 1
                    for turn in (event, event.get("turn", {})):
                        if "awaited" in turn:
                            turn.setdefault("legal", [])
                    add_commands(event)
                    line = b"data: " + json.dumps(add_fields(event)).encode() + b"\n"
                self.wfile.write(line)
                if line == b"\n":
                    events += 1
                    self.wfile.flush()
            CHANGES["cut"] += events == CUT
        except (BrokenPipeError, ConnectionResetError):
            pass

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = forward

    def log_message(self, *_: object) -> None:
        pass


def stop(*_: object) -> None:
    raise KeyboardInterrupt


signal.signal(signal.SIGTERM, stop)
server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    pass
finally:
    print("changes:", ", ".join(f"{name} {count}" for name, count in CHANGES.items()), flush=True)
