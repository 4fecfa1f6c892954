from dataclasses import dataclass
from datetime import date, timedelta

import pytest
from understudy import World
from verifier import Expired, GaveUp, Unavailable, Verifier


@dataclass(frozen=True)
class Setting:
    """A verifier in a world of its own: where it waits, the world's clock moves, and the wait is recorded."""

    verifier: Verifier
    world: World
    waits: list[timedelta]


@pytest.fixture
def setting(understudy_world: World) -> Setting:
    waits: list[timedelta] = []

    def wait(span: timedelta) -> None:
        waits.append(span)
        understudy_world.advance(span)

    verifier = Verifier(understudy_world.url, understudy_world.key, wait, lambda: understudy_world.now)
    return Setting(verifier, understudy_world, waits)


def test_completes(setting: Setting) -> None:
    income = setting.verifier.income("vr_lifecycle_timed")
    assert income.as_of == date(2025, 1, 16)
    assert income.employer and income.gross_pay
    assert setting.waits == [timedelta(hours=6)] * 4
    setting.world.verify({"operation": "getVerificationRequest", "times": {"exactly": 5}})


def test_unavailable(setting: Setting) -> None:
    with pytest.raises(Unavailable):
        setting.verifier.income("vr_error_451")


def test_retries_after_too_many_requests(setting: Setting) -> None:
    setting.world.add_fault({"on": "get", "respond": {"status": 429, "headers": {"Retry-After": "7"}}, "times": 1})
    setting.verifier.income("vr_completed")
    assert setting.waits == [timedelta(seconds=7)]


def test_retries_after_server_error(setting: Setting) -> None:
    setting.world.add_fault({"on": "get", "respond": {"status": 500}, "times": 2})
    setting.verifier.income("vr_completed")
    assert setting.waits == [timedelta(seconds=2)] * 2


def test_gives_up(setting: Setting) -> None:
    setting.world.add_fault({"on": "get", "respond": {"status": 500}})
    with pytest.raises(GaveUp):
        setting.verifier.income("vr_completed")
    setting.world.verify({"operation": "getVerificationRequest", "times": {"exactly": 3}})


def test_expires(setting: Setting) -> None:
    setting.verifier.income("vr_lifecycle_timed")
    setting.world.advance(timedelta(days=31))
    with pytest.raises(Expired):
        setting.verifier.income("vr_lifecycle_timed")
