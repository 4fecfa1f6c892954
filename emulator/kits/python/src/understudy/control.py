"""Calls of the control plane."""

from __future__ import annotations

import json
import os
import ssl
from collections.abc import Mapping
from copy import copy
from datetime import date, timedelta
from decimal import Decimal
from http.client import HTTPException
from typing import Any, Union
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import HTTPSHandler, ProxyHandler, Request, build_opener

CALL_WITHIN = 60.0  # seconds
CONNECT_WITHIN = 10.0  # seconds, of the first call
MAX_PAGE = 1000  # items
JSON = "application/json"

Body = Union[Mapping[str, object], str]
Span = Union[timedelta, float, str]


class ControlError(Exception):
    """A call of the control plane failed."""

    message: str
    """The cause, in the server's words."""
    status: int
    """The status of the answer; 0 when there was none."""
    document: Any
    """The whole answer, if it is JSON."""

    def __init__(self, message: str, status: int = 0, document: Any = None) -> None:
        super().__init__(message)
        self.message, self.status, self.document = message, status, document


class Control:
    """The control plane at a URL: of the server, or of the world of a key."""

    def __init__(self, url: str, token: str | None) -> None:
        self.url, self.token = url, token
        self.key: str | None = None
        # The emulator is on this machine or beside it. A proxy of the environment does not reach it.
        tls = ssl.create_default_context(cafile=os.environ.get("UNDERSTUDY_CA"))
        self._opener = build_opener(ProxyHandler({}), HTTPSHandler(context=tls))

    def with_key(self, key: str) -> Control:
        """Returns the control plane of the world of a key."""
        control = copy(self)
        control.key = key
        return control

    def info(self) -> dict[str, Any]:
        """Returns what the emulator says of itself. It fails at once if there is none, and for any other server."""
        try:
            info = self.call("GET", "info", within=CONNECT_WITHIN)
        except ControlError as error:
            if error.status != 404:
                raise
            message = f"{self.url} is not an emulator: it answers 404, unless its control plane has an address of its own"
            raise ControlError(message, 404, error.document) from None
        if not isinstance(info, dict) or "key_prefix" not in info:
            raise ControlError(f"{self.url} is not an emulator: its answer has other JSON", 200, info)
        return info

    def send(self, method: str, path: str, body: str | None = None, kind: str = JSON, within: float = CALL_WITHIN) -> str:
        """Sends a call, and returns the text of its answer."""
        headers = {"Content-Type": kind}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        if self.token:
            headers["Understudy-Control-Token"] = self.token
        try:
            request = Request(f"{self.url}/_understudy/v1/{path}", None if body is None else body.encode(), headers, method=method)
            with self._opener.open(request, timeout=within) as answer:
                text: str = answer.read().decode(errors="replace")
                return text
        except HTTPError as error:
            raise refused(self.url, error) from None
        except (OSError, HTTPException, ValueError) as error:  # the last for what is no URL
            cause = error.reason if isinstance(error, URLError) else error
            words = getattr(cause, "strerror", None) or cause
            if isinstance(cause, TimeoutError):
                words = f"it does not answer within {within:g} s"
            raise ControlError(f"no emulator answers at {self.url}: {words}") from None

    def call(self, method: str, path: str, body: Body | None = None, *, within: float = CALL_WITHIN) -> Any:
        """Sends a document as JSON, or a text as YAML, and returns the document of the answer."""
        text = body if body is None or isinstance(body, str) else json.dumps(body, default=plain)
        answer = self.send(method, path, text, "application/yaml" if text is body else JSON, within)
        try:
            return json.loads(answer) if answer else None
        except ValueError:
            raise ControlError(f"{self.url} is not an emulator: its answer is not JSON") from None

    def items(self, path: str, /, limit: int | None = None, **query: str | None) -> list[Any]:
        """Returns the items of a list, all or the first ones."""
        given: dict[str, str | int] = {name: value for name, value in query.items() if value is not None}
        if limit is not None:
            given["limit"] = min(limit, MAX_PAGE)
        items: list[Any] = []
        while True:
            page = self.call("GET", f"{path}?{urlencode(given)}")
            items += page["items"]
            if page["next"] is None or limit is not None and len(items) >= limit:
                return items[:limit]
            given["after"] = page["next"]


def refused(url: str, error: HTTPError) -> ControlError:
    """Returns the error of an answer. One without a message comes from another program, such as a proxy."""
    try:
        with error:
            document = json.load(error)
        return ControlError(document["error"]["message"], error.code, document)
    except (ValueError, TypeError, KeyError, OSError, HTTPException):
        return ControlError(f"{url} is not an emulator: it answers {error.code} {error.reason}", error.code)


def plain(value: object) -> object:
    """Returns as JSON has it what only Python has."""
    if isinstance(value, date):  # datetime, too
        return value.isoformat()
    if isinstance(value, timedelta):
        return span(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a body has no {type(value).__name__}: {value!r}")


def span(of: Span) -> str:
    """Returns a span as the control plane reads it."""
    if isinstance(of, timedelta):
        of = of.total_seconds()
    return of if isinstance(of, str) else f"{of:.9f}".rstrip("0").rstrip(".") + "s"
