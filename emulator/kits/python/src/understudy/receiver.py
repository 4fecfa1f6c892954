"""A webhook that a test listens on."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .control import Span


class Receiver:
    """A webhook of a world on a free loopback port. It answers 204 to every event, and ends with the world."""

    url: str
    events: list[dict[str, Any]]
    """All events so far, in the order in which they came."""

    def __init__(self, advance: Callable[[Span], None]) -> None:
        self.events, self._advance = [], advance
        self._taken: set[int] = set()  # the numbers of events that were returned
        self._came = came = threading.Condition()
        events = self.events

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with came:
                    events.append(event)
                    came.notify_all()
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Logs nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    def next(
        self,
        *,
        event: str | None = None,
        state: str | None = None,
        advance: Span | None = None,
        within: timedelta | float = 10,
    ) -> dict[str, Any]:
        """Returns the first event that no call has returned yet, of those with a name and a state.

        With `advance` the world's clock moves on by a span first. This waits for the event at most for a span of real time, and
        raises AssertionError at its end.
        """
        if advance is not None:
            self._advance(advance)
        limit = within.total_seconds() if isinstance(within, timedelta) else within
        end = time.monotonic() + limit
        with self._came:
            while True:
                for number, one in enumerate(self.events):
                    names = event in (None, one["hook"]["event"]) and state in (None, one["data"]["state"])
                    if names and number not in self._taken:
                        self._taken.add(number)
                        return one
                if not self._came.wait(end - time.monotonic()) and time.monotonic() >= end:
                    came = ", ".join(f"{one['hook']['event']} {one['data']['state']}" for one in self.events) or "no event"
                    wanted = " ".join(word for word in (event, state) if word) or "event"
                    raise AssertionError(f"no {wanted} came within {limit:g} s: {came} came")

    def close(self) -> None:
        """Closes the port."""
        self._server.shutdown()
        self._server.server_close()
