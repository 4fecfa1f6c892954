"""Calls of the control plane."""

from __future__ import annotations

import json
import os
import ssl
from copy import copy
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPSHandler, ProxyHandler, Request, build_opener

TIMEOUT = 60  # seconds, of one call
MAX_PAGE = 1000  # items


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
    """The control plane of the emulator at a URL: of the server, or of the world of a key."""

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

    def send(self, method: str, path: str, body: bytes | None = None, kind: str = "application/json") -> bytes:
        """Sends a call, and returns the body of its answer."""
        request = Request(f"{self.url}/_understudy/v1/{path}", body, {"Content-Type": kind}, method=method)
        if self.key:
            request.add_header("Authorization", f"Bearer {self.key}")
        if self.token:
            request.add_header("Understudy-Control-Token", self.token)
        try:
            with self._opener.open(request, timeout=TIMEOUT) as answer:
                content: bytes = answer.read()
                return content
        except HTTPError as error:
            raise refused(self.url, error) from None
        except (OSError, HTTPException) as error:
            raise ControlError(f"no emulator answers at {self.url}: {getattr(error, 'reason', error)}") from None

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Sends a document as JSON, or a text as YAML, and returns the document of the answer."""
        if isinstance(body, str):
            answer = self.send(method, path, body.encode(), "application/yaml")
        else:
            answer = self.send(method, path, None if body is None else json.dumps(body).encode())
        try:
            return json.loads(answer) if answer else None
        except ValueError:
            raise ControlError(f"{self.url} answers without JSON: is it an emulator?") from None

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
    except (ValueError, TypeError, KeyError):
        return ControlError(f"{url} answers {error.code} {error.reason}: is it an emulator?", error.code)
