"""Calls of the emulated API, as a program under test sends them."""

import json
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from understudy import World


def get(world: World, id: str) -> tuple[int, dict[str, Any]]:
    request = Request(f"{world.url}/verification-requests/{id}", headers={"Authorization": f"Bearer {world.key}"})
    try:
        with urlopen(request) as answer:
            return answer.status, json.load(answer)
    except HTTPError as error:
        return error.code, json.load(error)
