"""The program understudy as a child process."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

START_WITHIN = 30.0  # seconds
STOP_WITHIN = 15.0  # seconds; the server waits up to 10 for requests under way


class StartError(Exception):
    """The emulator could not be started."""


class Process:
    """A server that runs until `stop`, at the latest until this process exits."""

    url: str

    def __init__(self, binary: str | None, args: Sequence[str], control_token: str | None) -> None:
        program = find(binary)
        self._folder = TemporaryDirectory(prefix="understudy-", ignore_cleanup_errors=True)
        self._url_file = Path(self._folder.name, "url")
        self._log = Path(self._folder.name, "log")
        command = [program, "serve", "--addr", "127.0.0.1:0", "--url-file", str(self._url_file)]
        command += ["--clock", "2025-01-15T09:00:00Z", "--log-level", "warn", "--store", "temp", *args]
        environment = dict(os.environ)
        if control_token:
            environment["UNDERSTUDY_CONTROL_TOKEN"] = control_token  # other users of the machine can read arguments
        with self._log.open("wb") as log:
            self._child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
        atexit.register(self.stop)
        try:
            self.url = self._wait()
        except BaseException:
            self.stop()
            raise

    def _wait(self) -> str:
        """Waits until requests are served, and returns the base URL."""
        deadline = time.monotonic() + START_WITHIN
        while self._child.poll() is None and time.monotonic() < deadline:
            if self._url_file.exists():  # it is written in one step
                return self._url_file.read_text().strip()
            time.sleep(0.01)
        code = self._child.poll()
        ended = f"did not serve within {START_WITHIN:g} s" if code is None else f"ended with exit code {code}"
        raise StartError(f"understudy {ended}:\n{self._log.read_text(errors='replace')}")

    def stop(self) -> None:
        """Stops the server. Stopping it once more does nothing."""
        atexit.unregister(self.stop)
        self._child.terminate()
        try:
            self._child.wait(STOP_WITHIN)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._folder.cleanup()


def find(binary: str | None) -> str:
    """Returns the path of the program."""
    wanted = binary or os.environ.get("UNDERSTUDY_BINARY") or "understudy"
    found = shutil.which(wanted)
    if found is None:
        raise StartError(
            f"there is no program {wanted!r}: name it with start(binary=...) or the variable UNDERSTUDY_BINARY, "
            "or put understudy on the PATH. In a clone, go build -o understudy ./cmd/understudy builds it"
        )
    return found
