"""The pytest plugin: an emulator for the session, a world for each test, and the requests of a test that failed."""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Iterator
from typing import Any

import pytest

from .control import Control, ControlError
from .process import StartError, find
from .server import Server, start
from .world import JournalEntry, World

MAX_SHOWN = 50  # requests of a failed test: the last
MAX_BODY = 1024  # characters of a body

started = pytest.StashKey[tuple[Server, World, str | None]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("understudy_args", "more flags of understudy serve", type="args")


def pytest_report_header() -> str:
    """Says which emulator the tests have."""
    try:
        return "understudy: " + (os.environ.get("UNDERSTUDY_URL") or ": ".join(find(None)))
    except StartError:
        return "understudy: no program was found"


@pytest.fixture(scope="session")
def understudy(pytestconfig: pytest.Config) -> Iterator[Server]:
    """The emulator of this session: `understudy.start` with the flags of the setting understudy_args."""
    with start(args=pytestconfig.getini("understudy_args")) as server:
        yield server


@pytest.fixture
def understudy_world(understudy: Server, request: pytest.FixtureRequest) -> Iterator[World]:
    """A world of the test's own. When the test fails, its report has the requests of the world."""
    with understudy.world(request.node.name) as world:
        earlier = latest(understudy.control, "unmatched-requests", 1)
        request.node.stash[started] = understudy, world, earlier[0]["id"] if earlier else None
        yield world


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    outcome = yield
    report: pytest.TestReport = outcome.get_result()
    if not report.failed or report.when == "teardown" or started not in item.stash:
        return  # at teardown the world is deleted
    server, world, earlier = item.stash[started]
    try:
        requests = show(world.control, "journal")
        unmatched = show(server.control, "unmatched-requests", earlier)
    except ControlError as error:
        requests, unmatched = f"cannot be read: {error}", ""
    if requests:
        report.sections.append(("understudy requests", requests))
    if unmatched:
        report.sections.append(("understudy requests that reached no world", unmatched))


def latest(control: Control, journal: str, limit: int, since: str | None = None) -> list[JournalEntry]:
    """Returns the last requests of a journal, the latest first: none if the journal is off."""
    try:
        return control.items(journal, limit, since=since)
    except ControlError as error:
        if error.status != 409:
            raise
        return []


def show(control: Control, journal: str, since: str | None = None) -> str:
    """Returns the last requests of a journal, the earliest first: a line each, and the bodies of the failed ones."""
    lines = []
    for entry in reversed(latest(control, journal, MAX_SHOWN, since)):
        outcome = str(entry["status"] or "---") + (f" ({entry['fault']})" if entry["fault"] else "")
        query = entry["query"] and f"?{entry['query']}"
        scenario = f"  [{entry['scenario']}]" if entry["scenario"] else ""
        instant = entry["time"].partition(".")[0].removesuffix("Z")
        lines.append(f"{entry['sequence']:4}  {instant}Z  {outcome} {entry['method']} {entry['path']}{query}{scenario}")
        lines += [f"      - {note}" for note in entry["diagnosis"]]
        if 0 < entry["status"] < 400:
            continue
        whole = control.call("GET", f"{journal}/{entry['id']}")
        for sign, body in (">", whole["request"]), ("<", whole["response"]):
            if body:
                text = body["text"] or json.dumps(body["json"], separators=(",", ":"), ensure_ascii=False)
                lines.append(f"      {sign} {text[:MAX_BODY]}{'...' if len(text) > MAX_BODY else ''}")
    return "\n".join(lines)
