"""Passes a stream of events through a proxy, and fails if the proxy compresses it or holds an event back.

    python3 stream_through.py PORT URL COMMAND…

The command runs the proxy, which listens at the URL and asks the server that listens on the port here.
"""

import ssl
import subprocess
import sys
import threading
import time
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

EVENT = b'id: 1-0123456789abcdef\ndata: {"at":"2026-01-01T12:00:00.000Z"}\n\n'
came = threading.Event()


class Stream(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        if self.path == "/readyz":
            self.end_headers()
            return
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(EVENT)
        # The next event comes after the client has this one.
        came.wait(60)
        self.wfile.write(EVENT)

    def log_message(self, *_: object) -> None:
        pass


def ask(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme == "https":
        connection: HTTPConnection = HTTPSConnection(parts.netloc, context=ssl._create_unverified_context(), timeout=30)
    else:
        connection = HTTPConnection(parts.netloc, timeout=30)
    connection.request("GET", "/v1/games/019b7a00-0000-7000-8000-000000000001/stream", headers={"Accept-Encoding": "gzip, br, zstd"})
    answer = connection.getresponse()
    if answer.status != 200:
        raise HTTPException(f"status {answer.status}")
    encoding, first = answer.getheader("Content-Encoding"), answer.read(len(EVENT))
    came.set()
    rest = answer.read()
    if encoding is not None or first != EVENT or rest != EVENT:
        sys.exit(f"{url}: the stream is {encoding or 'changed'}: {first!r} {rest!r}")


port, url, *command = sys.argv[1:]
server = ThreadingHTTPServer(("127.0.0.1", int(port)), Stream)
threading.Thread(target=server.serve_forever, daemon=True).start()
proxy = subprocess.Popen(command)
try:
    for attempt in range(2_000):
        try:
            ask(url)
            break
        except TimeoutError:
            sys.exit(f"{command[0]} holds an event back")
        except (OSError, HTTPException) as error:
            # The proxy starts, has no certificate yet, or has not found the server ready.
            if proxy.poll() is not None or attempt == 1_999:
                sys.exit(f"{command[0]}: {error}; its status: {proxy.returncode}")
            time.sleep(0.1)
finally:
    proxy.terminate()
    proxy.wait()
print(f"{command[0]} passes a stream on as it is")
