"""Starts an emulator, or connects to one."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Sequence
from types import TracebackType

from .control import Body, Control
from .process import Process
from .world import JournalEntry, World


def start(
    *,
    binary: str | None = None,
    args: Sequence[str] = (),
    strict: str = "spec",
    grease: str = "off",
    session_flow: str = "auto",
    account: Body = "",
    webhook: str | Sequence[str] = (),
    extended: bool = False,
    control_token: str | None = None,
) -> Server:
    """Starts an emulator on a free loopback port, with a temporary store and clocks that stand at 2025-01-15T09:00:00Z.

    The program is `binary`, else the one in this wheel, else that of the variable UNDERSTUDY_BINARY, else ``understudy`` on the PATH;
    `args` are more flags of ``understudy serve``; `strict`, `grease`, `session_flow` and `account` are those of the flags with these names, but an account
    may also be a mapping. Every world subscribes the URLs of `webhook` to its events; with `extended` operations beyond the
    specification are served. Other variables of this program do not reach it, except UNDERSTUDY_CONTROL_TOKEN, which `control_token`
    stands for. When the variable UNDERSTUDY_URL is set, as by ``understudy run``, this connects to the emulator there, as it is set,
    and stopping leaves it running.
    """
    if url := os.environ.get("UNDERSTUDY_URL"):
        return connect(url, control_token=control_token)
    token = control_token or os.environ.get("UNDERSTUDY_CONTROL_TOKEN")
    flags = [f"--strict={strict}", f"--grease={grease}", f"--session-flow={session_flow}"]
    flags.append("--account=" + (account if isinstance(account, str) else json.dumps(account)))
    flags += [f"--webhook={url}" for url in ([webhook] if isinstance(webhook, str) else webhook)]
    flags += ["--extended"] if extended else []
    process = Process(binary, [*flags, *args], token)
    try:
        return Server(process.urls[0], Control(process.urls[-1], token), process)
    except BaseException:
        process.stop()
        raise


def connect(url: str, *, control_url: str | None = None, control_token: str | None = None) -> Server:
    """Connects to an emulator that runs, or fails at once. `control_url` is where its control plane is, if that has an address
    of its own; the token is that of its control plane, else UNDERSTUDY_CONTROL_TOKEN."""
    token = control_token or os.environ.get("UNDERSTUDY_CONTROL_TOKEN")
    return Server(url.rstrip("/"), Control((control_url or url).rstrip("/"), token), None)


class Server:
    """An emulator that serves. Leaving its ``with`` block stops it."""

    url: str
    """The base URL, such as http://127.0.0.1:40123."""
    program: str | None
    """The program that was started, and where it was found, such as ``UNDERSTUDY_BINARY: /opt/understudy``."""

    def __init__(self, url: str, control: Control, process: Process | None) -> None:
        self.url, self.control, self._process = url, control, process
        self.program = process.program if process else None
        self._key_prefix: str = control.info()["key_prefix"]

    def world(self, name: str = "") -> World:
        """Returns a new world with a key of its own, whose clock stands. The name, such as a test's, is part of the key."""
        # The random part comes first so that no name makes a magic key such as svc_sk_test_revoked.
        key = f"{self._key_prefix}_sk_test_{secrets.token_hex(8)}_{re.sub('[^A-Za-z0-9_-]', '-', name)[:100]}"
        return World(self.url, self.control.with_key(key), key)

    def unmatched(self, limit: int | None = None) -> list[JournalEntry]:
        """Returns the requests that reached no world, because of their key or path, the latest first."""
        return self.control.items("unmatched-requests", limit)

    def stop(self) -> None:
        """Stops the emulator, unless it ran before."""
        if self._process:
            self._process.stop()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()
