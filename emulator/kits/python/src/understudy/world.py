"""The world of a test."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, TypedDict
from urllib.parse import quote

from .control import Control, ControlError

Document = Mapping[str, object]


class VerificationSummary(TypedDict):
    """A verification request in a list."""

    id: str
    state: str
    scenario: str
    created: str
    credentials_session_id: str | None


class Verification(VerificationSummary):
    """A verification request with its timeline and rules."""

    timeline: list[dict[str, Any]]
    rules: list[str]
    diagnosis: list[str]
    resource: dict[str, Any]
    """What the API answers."""


class Fault(TypedDict):
    """A rule that is evaluated for every request."""

    id: str
    rule: dict[str, Any]
    in_words: str
    resource: str | None
    remaining: int | None
    expires: str | None


class JournalEntry(TypedDict):
    """A request and its result."""

    id: str
    sequence: int
    time: str
    wall_time: str
    duration_ms: float
    method: str
    path: str
    query: str
    operation: str
    status: int
    fault: str | None
    scenario: str | None
    rule: str | None
    diagnosis: list[str]


class World:
    """Resources, clock, faults and journal of one API key. Leaving its ``with`` block deletes it.

    What creates or changes something is a document, or a text in the language of scenario files, which is YAML.
    A call that is refused raises `ControlError`.
    """

    url: str
    """The base URL for the program under test."""
    key: str
    """The API key for the program under test."""

    def __init__(self, control: Control, key: str) -> None:
        self.url, self.key, self.control = control.url, key, control
        world = control.call("POST", "reset")
        self._id: str = world["id"]
        if not world["clock"]["frozen"]:
            self.freeze()

    # The clock

    @property
    def now(self) -> datetime:
        """The world's instant."""
        return instant(self.control.call("GET", "clock")["now"])

    def set_clock(self, now: datetime | str) -> None:
        """Sets the clock to an instant with a time zone, which must not be before the present one."""
        self.control.call("PUT", "clock", {"now": now.isoformat() if isinstance(now, datetime) else now})

    def advance(self, by: timedelta | str) -> None:
        """Moves the clock on by a span such as ``timedelta(hours=24)`` or "24h"."""
        self.control.call("POST", "clock/advance", {"by": span(by)})

    def freeze(self) -> None:
        """Stops the clock, as it is from the start."""
        self.control.call("PUT", "clock", {"frozen": True})

    def unfreeze(self) -> None:
        """Lets the clock run on with the machine's."""
        self.control.call("PUT", "clock", {"frozen": False})

    # Faults and scenarios

    def add_fault(self, rule: Document | str, *, resource: str | None = None, lasting: timedelta | str | None = None) -> Fault:
        """Evaluates a rule, or a preset by its name, for every request, or for those of one resource, or for a span of the world's time."""
        fault: dict[str, object] = {"preset" if isinstance(rule, str) else "rule": rule}
        if resource is not None:
            fault["resource"] = resource
        if lasting is not None:
            fault["expires_in"] = span(lasting)
        added: Fault = self.control.call("POST", "faults", fault)
        return added

    def faults(self) -> list[Fault]:
        """Returns the active faults, in the order in which they were added."""
        return self.control.items("faults")

    def remove_fault(self, id: str) -> None:
        """Removes a fault."""
        self.control.call("DELETE", f"faults/{quote(id, '')}")

    def remove_faults(self) -> None:
        """Removes all faults."""
        self.control.call("DELETE", "faults")

    def put_scenario(self, name: str, file: Document | str) -> None:
        """Stores a scenario of the world, given as a file with this scenario alone, in place of an earlier one with the name."""
        self.control.call("PUT", f"scenarios/{quote(name, '')}", file)

    # The journal

    def journal(
        self,
        *,
        operation: str | None = None,
        status: int | str | None = None,
        path: str | None = None,
        q: str | None = None,
        since: str | None = None,
        limit: int | None = None,
    ) -> list[JournalEntry]:
        """Returns the requests of the world that the filters select, the latest first.

        A status is 404 or "4xx"; in a path ``*`` stands for what is between two slashes; `q` has words that all occur; `since`
        is an instant of the world's clock, or the id of a request.
        """
        wanted = None if status is None else str(status)
        return self.control.items("journal", limit, operation=operation, status=wanted, path=path, q=q, since=since)

    def verify(self, expectation: Document) -> None:
        """Raises AssertionError, with the nearest requests, unless a request came as often as expected: at least once, if
        the expectation does not say."""
        try:
            self.control.call("POST", "journal/verify", expectation)
        except ControlError as error:
            if error.status == 409 and "count" in error.document:
                raise AssertionError(error.message) from None
            raise

    # The world as a whole

    def snapshot(self) -> bytes:
        """Returns the whole world as one JSON document."""
        return self.control.send("GET", "snapshot")

    def restore(self, document: bytes) -> None:
        """Makes the world what a snapshot says."""
        self.control.send("PUT", "snapshot", document)

    def reset(self) -> None:
        """Makes the world as new: resources, clock, faults, counters, journal and its scenarios."""
        self.control.call("POST", "reset")

    def delete(self) -> None:
        """Deletes the world, as if its key had never been used."""
        self.control.call("DELETE", f"worlds/{self._id}")

    def __enter__(self) -> World:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.delete()

    # Verification requests

    def create_verification_request(self, request: Document | str) -> Verification:
        """Creates a verification request, such as ``{"scenario": "lifecycle-timed"}``."""
        created: Verification = self.control.call("POST", "verification-requests", request)
        return created

    def change_verification_request(self, id: str, change: Document | str) -> Verification:
        """Sets fields of a verification request, such as ``{"set": {"loan_id": "7"}}``, puts it into a state, or both."""
        changed: Verification = self.control.call("PATCH", f"verification-requests/{quote(id, '')}", change)
        return changed

    def verification_request(self, id: str) -> Verification:
        """Returns a verification request. Unlike a read by the API it changes nothing."""
        found: Verification = self.control.call("GET", f"verification-requests/{quote(id, '')}")
        return found

    def verification_requests(self) -> list[VerificationSummary]:
        """Returns the stored verification requests, by id: the created ones, and the magic ones that moved."""
        return self.control.items("verification-requests")

    def move(self, id: str, state: str) -> Verification:
        """Puts a verification request into a state that the specification lets it reach."""
        return self.change_verification_request(id, {"state": state})

    def force(self, id: str, state: str) -> Verification:
        """Puts a verification request into a state, whatever the specification allows."""
        return self.change_verification_request(id, {"state": state, "force": True})

    def delete_verification_request(self, id: str) -> None:
        """Deletes what is stored of a verification request. A magic one is as new then; any other no longer exists."""
        self.control.call("DELETE", f"verification-requests/{quote(id, '')}")

    # Other resources

    def create_tenant_property(self, property: Document | str) -> dict[str, Any]:
        """Creates a tenant property, such as ``{"tenant_property": {"set": {"name": "Quay House"}}}``."""
        created: dict[str, Any] = self.control.call("POST", "tenant-properties", property)
        return created

    def tenant_property(self, id: str) -> dict[str, Any]:
        """Returns a tenant property."""
        found: dict[str, Any] = self.control.call("GET", f"tenant-properties/{quote(id, '')}")
        return found

    def create_qualification_check(self, check: Document | str) -> dict[str, Any]:
        """Creates a qualification check, such as ``{"qualification_check": {"rent": 1450}}``; its result is computed."""
        created: dict[str, Any] = self.control.call("POST", "qualification-checks", check)
        return created

    def credentials_session(self, id: str) -> dict[str, Any]:
        """Returns a credentials session with the id of its verification request."""
        found: dict[str, Any] = self.control.call("GET", f"credentials-sessions/{quote(id, '')}")
        return found


def span(of: timedelta | str) -> str:
    """Returns a span as the control plane reads it."""
    return of if isinstance(of, str) else f"{of.total_seconds():f}s"


def instant(text: str) -> datetime:
    """Returns an instant of the control plane. Its nanoseconds are cut off to microseconds."""
    seconds, _, fraction = text.removesuffix("Z").partition(".")
    return datetime.fromisoformat(f"{seconds}.{fraction[:6].ljust(6, '0')}+00:00")
