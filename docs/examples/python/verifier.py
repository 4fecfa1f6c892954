"""Finds out what an applicant earns.

It is an example of a program that uses the verification API; its tests show how such a program is tested.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

POLL_EVERY = timedelta(hours=6)
POLLS = 40  # ten days
RETRIES = 3  # of one call
RETRY_AFTER = timedelta(seconds=2)  # where an answer does not say
EXPIRE_IN = timedelta(days=30)  # what was true a month ago counts no more


class Unavailable(Exception):
    """The applicant has frozen their data."""


class Expired(Exception):
    """The data is too old: order a new verification."""


class GaveUp(Exception):
    """The service does not answer."""


class Pending(Exception):
    """The verification takes too long."""


class Canceled(Exception):
    """The verification was canceled."""


@dataclass(frozen=True)
class Income:
    """What the latest report says of a person."""

    employer: str
    gross_pay: str | None
    as_of: date


@dataclass(frozen=True)
class Verifier:
    """Asks the API at a base URL with a key."""

    url: str
    key: str
    wait: Callable[[timedelta], None]
    now: Callable[[], datetime]

    def income(self, id: str) -> Income:
        """Waits until a verification request is completed, and returns its income."""
        for _ in range(POLLS):
            request = self._get(id)
            match request["state"]:
                case "completed":
                    return self._fresh(request)
                case "canceled":
                    raise Canceled
            self.wait(POLL_EVERY)
        raise Pending

    def _fresh(self, request: dict[str, Any]) -> Income:
        """Returns the income of the first report, unless it has expired."""
        if not request["reports"]:
            raise ValueError("the verification has no report")
        report = request["reports"][0]
        as_of = date.fromisoformat(report["current_as_of"])
        if self.now() - datetime.combine(as_of, time.min, timezone.utc) > EXPIRE_IN:
            raise Expired
        salary = report["employee"]["salary"]
        return Income(report["employer"]["name"], salary and salary["gross_pay"], as_of)

    def _get(self, id: str) -> dict[str, Any]:
        """Reads a verification request. It sends the call again after 429 and 500."""
        for _ in range(RETRIES):
            try:
                return self._send(id)
            except HTTPError as error:
                match error.code:
                    case 451:
                        raise Unavailable from None
                    case 429 | 500:
                        self.wait(pause(error))
                    case _:
                        raise
        raise GaveUp

    def _send(self, id: str) -> dict[str, Any]:
        request = Request(f"{self.url}/verification-requests/{id}", headers={"Authorization": f"Bearer {self.key}"})
        with urlopen(request) as answer:
            document: dict[str, Any] = json.load(answer)
            return document


def pause(error: HTTPError) -> timedelta:
    """Returns how long to wait before a call is sent again."""
    try:
        return timedelta(seconds=int(error.headers["Retry-After"]))
    except (TypeError, ValueError):
        return RETRY_AFTER
