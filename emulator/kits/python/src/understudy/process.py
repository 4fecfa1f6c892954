"""The program understudy as a child process."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import IO

START_WITHIN = 30.0  # seconds
STOP_WITHIN = 15.0  # seconds; the server answers requests under way first
MAX_LOG = 16 << 10  # bytes, the last
BUNDLED = Path(__file__).with_name("bin") / ("understudy.exe" if os.name == "nt" else "understudy")  # in a wheel of one platform

pipes: set[IO[bytes]] = set()
"""The standard inputs of the servers that run. They stay open until a server is stopped, or this process ends."""


def close_pipes() -> None:
    for pipe in pipes:
        pipe.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=close_pipes)  # a fork that outlives this process would hold them open


class StartError(Exception):
    """The emulator could not be started."""


class Process:
    """A server that runs until `stop`, at the latest until this process ends, however it ends: the server's standard input is
    a pipe that this process alone holds open, and the server ends with it."""

    urls: list[str]
    """The base URL and, if it has an address of its own, that of the control plane."""
    program: str
    """Where the program was found, and its path, such as ``bundled: /site-packages/understudy/bin/understudy``."""

    def __init__(self, binary: str | None, args: Sequence[str], control_token: str | None) -> None:
        place, path = find(binary)
        self.program = f"{place}: {path}"
        command = [path, "serve", "--exit-with-stdin", "--addr", "127.0.0.1:0", "--url-file", "-"]
        command += ["--clock", "2025-01-15T09:00:00Z", "--log-level", "warn", "--store", "temp", *args]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("UNDERSTUDY_")}
        if control_token:
            environment["UNDERSTUDY_CONTROL_TOKEN"] = control_token  # other users of the machine can read arguments
        pipe = subprocess.PIPE
        # In a session of its own it serves until the tests have ended, also after Ctrl-C. Without buffers no reader has a lock at exit.
        child = subprocess.Popen(command, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, start_new_session=True)
        assert child.stdin and child.stdout and child.stderr
        self._child, self._stdin = child, child.stdin
        pipes.add(self._stdin)
        self._log = b""
        self._reader = Thread(target=self._keep_log, args=(child.stderr,), daemon=True)
        self._reader.start()
        try:
            self.urls = self._wait(child.stdout)
        except BaseException:
            self.stop()
            raise

    def _keep_log(self, stderr: IO[bytes]) -> None:
        with stderr:
            while piece := stderr.read(MAX_LOG):
                self._log = (self._log + piece)[-MAX_LOG:]

    def _wait(self, stdout: IO[bytes]) -> list[str]:
        """Waits until requests are served, and returns the URLs. They come in one piece."""
        written: Queue[bytes] = Queue()

        def read() -> None:
            with stdout:
                while piece := stdout.read(MAX_LOG):
                    written.put(piece)
            written.put(b"")

        Thread(target=read, daemon=True).start()
        try:
            if urls := re.findall(r"https?://\S+", written.get(timeout=START_WITHIN).decode()):
                return urls
            ended = f"ended with exit code {self._child.wait(STOP_WITHIN)}"
            self._reader.join(1)
        except (Empty, subprocess.TimeoutExpired):
            ended = f"did not serve within {START_WITHIN:g} s"
        raise StartError(f"understudy ({self.program}) {ended}:\n{self._log.decode(errors='replace')}")

    def stop(self) -> None:
        """Stops the server. Stopping it once more does nothing."""
        pipes.discard(self._stdin)
        self._stdin.close()
        try:
            self._child.wait(STOP_WITHIN)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()


def find(binary: str | None) -> tuple[str, str]:
    """Returns the place where the program was found, and its path."""
    variable = os.environ.get("UNDERSTUDY_BINARY")
    bundled = str(BUNDLED) if BUNDLED.exists() else None
    places = {"the option binary": binary, "bundled": bundled, "UNDERSTUDY_BINARY": variable, "the PATH": "understudy"}
    place, wanted = next((place, path) for place, path in places.items() if path)
    if found := shutil.which(wanted):
        return place, found
    raise StartError(
        f"there is no program {wanted!r} ({place}). A start takes the first of these places that names one; correct one of them:\n"
        '  the option binary: start(binary="/path/to/understudy")\n'
        f"  bundled: pip installs it with a wheel of this platform; there is no {BUNDLED}\n"
        f"  UNDERSTUDY_BINARY: the path of the program; it is {variable or 'not set'}\n"
        "  the PATH: a folder with understudy. In a clone, go build -o understudy ./cmd/understudy builds it"
    )
