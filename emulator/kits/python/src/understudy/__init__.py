"""Starts Understudy for tests, and steers it.

    with understudy.start() as server, server.world() as world:
        request = poll(world.url, world.key, "vr_lifecycle")  # the code under test

Each test has a world of its own, so that all may run in parallel against one server. The world's clock is frozen until the
test moves it; nothing needs to sleep. With pytest, the fixtures ``understudy`` and ``understudy_world`` do this.
"""

from .control import ControlError
from .process import StartError
from .receiver import Receiver
from .server import Server, connect, start
from .world import (
    CredentialsSession,
    Delivery,
    Fault,
    JournalEntry,
    Settings,
    Verification,
    VerificationSummary,
    Webhook,
    WholeJournalEntry,
    World,
)

__all__ = [
    "ControlError",
    "CredentialsSession",
    "Delivery",
    "Fault",
    "JournalEntry",
    "Receiver",
    "Server",
    "Settings",
    "StartError",
    "Verification",
    "VerificationSummary",
    "Webhook",
    "WholeJournalEntry",
    "World",
    "connect",
    "start",
]
