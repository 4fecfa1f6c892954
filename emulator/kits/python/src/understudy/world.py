"""The world of a test."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, TypedDict
from urllib.parse import quote

from .control import Body, Control, ControlError, Span, span
from .receiver import Receiver

LOOK_EVERY = 0.02  # seconds


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


class CredentialsSession(TypedDict):
    """A credentials session with the id of its verification request."""

    id: str
    created: str
    verification_request_id: str
    state: str
    """Of the verification request."""
    scenario: str
    flow: str
    """auto: the emulator plays the person who uses the token. manual: nobody does, until the session is finished."""
    outcome: str | None
    """success, failure or abandoned; None until it is known."""
    flow_url: str | None
    """The page on which a person uses the token, from the emulator's host on; None with auto."""


class Settings(TypedDict):
    """What a world lets its clients do, and how it treats them."""

    grease: str
    session_flow: str
    account: dict[str, Any]
    """A key that is left out allows everything."""


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


class WholeJournalEntry(JournalEntry):
    """A request and its answer."""

    headers: list[dict[str, str]]
    response_headers: list[dict[str, str]]
    request: dict[str, Any] | None
    response: dict[str, Any] | None


class Webhook(TypedDict):
    """A subscription to the events of a world."""

    id: int
    url: str
    events: list[str]
    token: str
    version: str


class Delivery(TypedDict):
    """An event for a webhook."""

    id: str
    webhook: int
    event: str
    resource: str
    state: str
    due: str
    status: str
    """due, delivered or given-up."""
    attempts: list[dict[str, Any]]
    body: dict[str, Any]


class World:
    """Resources, clock, faults and journal of one API key. Leaving its ``with`` block deletes it.

    A body is a mapping, whose values may be dates, instants, spans and decimals, or a text in YAML or JSON. A span is a
    timedelta, a number of seconds, or a text such as "36h". A call that is refused raises `ControlError`.
    """

    url: str
    """The base URL for the program under test."""
    key: str
    """The API key for the program under test."""

    def __init__(self, url: str, control: Control, key: str) -> None:
        self.url, self.key, self.control = url, key, control
        self._receivers: list[Receiver] = []
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
        self.control.call("PUT", "clock", {"now": now})

    def advance(self, by: Span) -> None:
        """Moves the clock on by a span. Steps of timelines on the way happen at their own instants."""
        self.control.call("POST", "clock/advance", {"by": span(by)})

    def freeze(self) -> None:
        """Stops the clock, as it is from the start."""
        self.control.call("PUT", "clock", {"frozen": True})

    def unfreeze(self) -> None:
        """Lets the clock run on with the machine's."""
        self.control.call("PUT", "clock", {"frozen": False})

    def wait_for(self, id: str, state: str, within: timedelta | float = 10) -> Verification:
        """Waits until a verification request is in a state, at most for a span of real time, and returns it.

        Where its next step comes by the clock, the clock moves to that step; for any other step this waits for the code under
        test, which polls in another thread. It raises AssertionError at the end of the span.
        """
        limit = within.total_seconds() if isinstance(within, timedelta) else within
        end = time.monotonic() + limit
        self.control.items("verification-requests", 1, state=state)  # refuses what is no state
        while (found := self.verification_request(id))["state"] != state:
            step = next((step for step in found["timeline"] if step["place"] == "next"), None)
            stored = any(one["id"] == id for one in self.verification_requests())  # one that is not begins when it is asked for
            if time.monotonic() >= end:
                raise AssertionError(f"{id} is {found['state']}, not {state}, after {limit:g} s: {waits_for(step, stored)}")
            if stored and step and step["at"]:
                self._move_clock(step["at"])
            else:
                time.sleep(LOOK_EVERY)
        return found

    def _move_clock(self, now: str) -> None:
        """Sets the clock, unless the code under test has moved it further."""
        try:
            self.set_clock(now)
        except ControlError as error:
            if error.status != 409:
                raise

    # Faults and scenarios

    def add_fault(self, rule: Body, *, resource: str | None = None, lasting: Span | None = None) -> Fault:
        """Evaluates a rule, or a preset by its name, for every request, or for those of one resource, or for a span of the world's time."""
        fault: dict[str, object] = {"rule": rule}
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

    def put_scenario(self, name: str, file: Body) -> None:
        """Stores a scenario of the world, given as a file with this scenario alone, in place of an earlier one with the name."""
        self.control.call("PUT", f"scenarios/{quote(name, '')}", file)

    def delete_scenario(self, name: str) -> None:
        """Deletes a scenario of the world."""
        self.control.call("DELETE", f"scenarios/{quote(name, '')}")

    # The journal

    def journal(
        self,
        *,
        operation: str | None = None,
        status: int | str | None = None,
        path: str | None = None,
        q: str | None = None,
        since: datetime | str | None = None,
        limit: int | None = None,
    ) -> list[JournalEntry]:
        """Returns the requests of the world that the filters select, the latest first.

        A status is 404 or "4xx"; in a path ``*`` stands for what is between two slashes; `q` has words that all occur; `since`
        is an instant of the world's clock, or the id of a request.
        """
        wanted = None if status is None else str(status)
        after = since.isoformat() if isinstance(since, datetime) else since
        return self.control.items("journal", limit, operation=operation, status=wanted, path=path, q=q, since=after)

    def journal_entry(self, id: str) -> WholeJournalEntry:
        """Returns a request of the journal with its answer."""
        found: WholeJournalEntry = self.control.call("GET", f"journal/{quote(id, '')}")
        return found

    def verify(self, expectation: Body) -> None:
        """Raises AssertionError, with the nearest requests, unless a request came as often as expected: at least once, if
        the expectation does not say."""
        try:
            self.control.call("POST", "journal/verify", expectation)
        except ControlError as error:
            if error.status == 409 and "count" in (error.document or ()):
                raise AssertionError(error.message) from None
            raise

    # Webhooks

    def webhook(
        self, url: str, *, events: Sequence[str] | None = None, token: str | None = None, version: str | None = None
    ) -> Webhook:
        """Subscribes a URL to the events of the world: it hears what changes from now on."""
        given = {"url": url, "events": events and list(events), "token": token, "version": version}
        made: Webhook = self.control.call("POST", "webhooks", {name: value for name, value in given.items() if value is not None})
        return made

    def receiver(self, *, events: Sequence[str] | None = None, token: str | None = None, version: str | None = None) -> Receiver:
        """Subscribes a port of its own to the events of the world."""
        receiver = Receiver(self.advance)
        self._receivers.append(receiver)
        self.webhook(receiver.url, events=events, token=token, version=version)
        return receiver

    def deliveries(self, *, status: str | None = None) -> list[Delivery]:
        """Returns the deliveries to the webhooks of the world, in the order of their events. A status is due, delivered or
        given-up."""
        return self.control.items("deliveries", status=status)

    # The world as a whole

    def snapshot(self) -> str:
        """Returns the whole world as lines of JSON."""
        return self.control.send("GET", "snapshot")

    def restore(self, document: str) -> None:
        """Makes the world what a snapshot says."""
        self.control.send("PUT", "snapshot", document)

    def reset(self) -> None:
        """Makes the world as new: resources, clock, faults, counters, journal and its scenarios."""
        self.control.call("POST", "reset")

    def delete(self) -> None:
        """Deletes the world, as if its key had never been used. Its receivers are closed."""
        for receiver in self._receivers:
            receiver.close()
        self._receivers = []
        try:
            self.control.call("DELETE", f"worlds/{self._id}")
        except ControlError as error:
            if error.status != 404:
                raise

    def __enter__(self) -> World:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.delete()

    # Verification requests

    def create_verification_request(self, request: Body) -> Verification:
        """Creates a verification request, such as ``{"scenario": "lifecycle-timed"}``."""
        created: Verification = self.control.call("POST", "verification-requests", request)
        return created

    def change_verification_request(self, id: str, change: Body) -> Verification:
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
        """Deletes what is stored of a verification request. A magic one starts over; any other is gone."""
        self.control.call("DELETE", f"verification-requests/{quote(id, '')}")

    # Other resources

    def create_tenant_property(self, property: Body) -> dict[str, Any]:
        """Creates a tenant property, such as ``{"tenant_property": {"set": {"name": "Quay House"}}}``."""
        created: dict[str, Any] = self.control.call("POST", "tenant-properties", property)
        return created

    def tenant_property(self, id: str) -> dict[str, Any]:
        """Returns a tenant property."""
        found: dict[str, Any] = self.control.call("GET", f"tenant-properties/{quote(id, '')}")
        return found

    def create_qualification_check(self, check: Body) -> dict[str, Any]:
        """Creates a qualification check, such as ``{"qualification_check": {"rent": 1450}}``; its result is computed."""
        created: dict[str, Any] = self.control.call("POST", "qualification-checks", check)
        return created

    def qualification_check(self, id: str) -> dict[str, Any]:
        """Returns a qualification check."""
        found: dict[str, Any] = self.control.call("GET", f"qualification-checks/{quote(id, '')}")
        return found

    def credentials_session(self, id: str) -> CredentialsSession:
        """Returns a credentials session with the id of its verification request."""
        found: CredentialsSession = self.control.call("GET", f"credentials-sessions/{quote(id, '')}")
        return found

    def finish_session(self, id: str, outcome: str = "success") -> CredentialsSession:
        """Finishes a session of flow manual, as the person does who uses its token: success, failure or abandoned."""
        call = f"credentials-sessions/{quote(id, '')}/finish"
        finished: CredentialsSession = self.control.call("POST", call, {"outcome": outcome})
        return finished

    # Settings

    def settings(self) -> Settings:
        """Returns the settings that hold in the world."""
        found: Settings = self.control.call("GET", "settings")
        return found

    def set_settings(self, settings: Body) -> Settings:
        """Replaces the world's own settings, such as ``{"session_flow": "manual"}``. What is left out is as the server has it."""
        found: Settings = self.control.call("PUT", "settings", settings)
        return found


def waits_for(step: dict[str, Any] | None, stored: bool) -> str:
    """Returns what the next step of a timeline waits for."""
    if not stored:
        return "no request has asked for it"
    if step is None:
        return "no step of its timeline follows"
    return f"{step['state']} comes {step['after']}"


def instant(text: str) -> datetime:
    """Returns an instant of the control plane. Its nanoseconds are cut off to microseconds."""
    seconds, _, fraction = text.removesuffix("Z").partition(".")
    return datetime.fromisoformat(f"{seconds}.{fraction[:6].ljust(6, '0')}+00:00")
