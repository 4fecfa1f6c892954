"""Finds out what an applicant earns.

It is an example of a program that uses the verification API; its tests show how such a program is tested.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

RETRIES = 3  # of one call
RETRY_AFTER = timedelta(seconds=2)  # where an answer does not say
LONGEST = timedelta(seconds=10)  # that an answer or a retry is waited for
EXPIRE_IN = timedelta(days=30)  # what was true a month ago counts no more


class Unavailable(Exception):
    """The applicant has frozen their data."""


class Expired(Exception):
    """The data is too old: order a new verification."""


class GaveUp(Exception):
    """The service does not answer."""


class Pending(Exception):
    """The verification has not ended."""


class Canceled(Exception):
    """The verification ended without a report."""


@dataclass(frozen=True)
class Income:
    """What the latest report says of a person."""

    employer: str
    gross_pay: str | None
    as_of: date


class Verifier:
    """Asks the API at a base URL with a key, and hears its webhook, which has a token."""

    def __init__(
        self, url: str, key: str, secret: str, wait: Callable[[timedelta], None], now: Callable[[], datetime]
    ) -> None:
        self.url, self.key, self.secret, self.wait, self.now = url, key, secret, wait, now
        self._ended: dict[str, str] = {}  # verification requests, by the tokens of their sessions

    def begin(self, applicant: dict[str, str]) -> str:
        """Begins the verification of an applicant, and returns the token that the applicant's browser uses."""
        order = {"type": "employment-income", "use_case": "tenant", "permissible_purpose": "employee-request", "target": applicant}
        token: str = self._call("/credentials/session", json.dumps(order).encode())["token"]
        return token

    def webhook(self, environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        """Serves the webhook (WSGI). What fails is not taken, so that the service sends it again."""
        status = "204 No Content"
        if environ.get("HTTP_X_WEBHOOK_TOKEN") != self.secret:
            status = "401 Unauthorized"
        else:
            try:
                self._hear(json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))))
            except (OSError, ValueError, GaveUp):
                status = "503 Service Unavailable"
        start_response(status, [])
        return []

    def _hear(self, event: dict[str, Any]) -> None:
        """Takes an event. It may come twice, late, after a later one, or before the answer that has the session's token: so
        what counts is not what it says, but what the request says now."""
        data = event["data"]
        if self._get(data["verification_request_id"])["state"] in ("completed", "canceled", "invalid"):
            self._ended[data["credentials_session_token"]] = data["verification_request_id"]

    def result(self, token: str) -> Income:
        """Returns the income that the session with a token has shown."""
        if token not in self._ended:
            raise Pending
        request = self._get(self._ended[token])
        if not request["reports"]:
            raise Canceled
        report = request["reports"][0]
        as_of = date.fromisoformat(report["current_as_of"])
        if self.now() - datetime.combine(as_of, time.min, timezone.utc) > EXPIRE_IN:
            raise Expired
        salary = report["employee"]["salary"]
        return Income(report["employer"]["name"], salary and salary["gross_pay"], as_of)

    def _get(self, id: str) -> dict[str, Any]:
        return self._call(f"/verification-requests/{id}")

    def _call(self, path: str, body: bytes | None = None) -> dict[str, Any]:
        """Sends a request, and again after 429 and 500."""
        for _ in range(RETRIES):
            try:
                return self._send(path, body)
            except HTTPError as error:
                match error.code:
                    case 451:
                        raise Unavailable from None
                    case 429 | 500:
                        if (after := pause(error)) > LONGEST:
                            break
                        self.wait(after)
                    case _:
                        raise
        raise GaveUp

    def _send(self, path: str, body: bytes | None) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        with urlopen(Request(self.url + path, body, headers), timeout=LONGEST.total_seconds()) as answer:
            document: dict[str, Any] = json.load(answer)
            return document


def pause(error: HTTPError) -> timedelta:
    """Returns how long to wait before a call is sent again: Retry-After is a number of seconds, or an instant."""
    after = error.headers.get("Retry-After", "")
    if after.isdecimal():
        return timedelta(seconds=int(after))
    try:
        at: datetime = parsedate_to_datetime(after)
        return at - parsedate_to_datetime(error.headers.get("Date", ""))
    except (TypeError, ValueError):
        return RETRY_AFTER
