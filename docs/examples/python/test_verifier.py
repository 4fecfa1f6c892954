import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from understudy import World
from verifier import Canceled, Expired, GaveUp, Pending, Unavailable, Verifier


def applicant(ssn: str) -> dict[str, str]:
    return {"first_name": "Ada", "last_name": "Example", "social_security_number": ssn, "date_of_birth": "1990-02-28"}


AT_ONCE, IN_A_DAY = applicant("000-00-0000"), applicant("000-00-1002")
FROZEN, REFUSES = applicant("000-00-0451"), applicant("000-77-0002")


class Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing."""


@dataclass(frozen=True)
class Setting:
    """A verifier that hears the events of a world of its own: where it waits, the wait is recorded."""

    verifier: Verifier
    world: World
    waits: list[timedelta]


@pytest.fixture
def setting(understudy_world: World) -> Iterator[Setting]:
    world, waits = understudy_world, list[timedelta]()
    verifier = Verifier(world.url, world.key, "secret", waits.append, lambda: world.now)
    with make_server("127.0.0.1", 0, verifier.webhook, handler_class=Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/"
        world.webhook(url, token="secret", events=["verification_request.state.change"])
        yield Setting(verifier, world, waits)
        server.shutdown()


def test_completes(setting: Setting) -> None:
    token = setting.verifier.begin(IN_A_DAY)
    with pytest.raises(Pending):
        setting.verifier.result(token)
    setting.world.advance("24h")
    income = setting.verifier.result(token)
    assert income.as_of == date(2025, 1, 16)
    assert income.employer and income.gross_pay
    setting.world.verify({"kind": "webhook", "times": {"exactly": 2}})


def test_hears_an_event_twice(setting: Setting) -> None:
    setting.world.add_fault({"on": "webhook", "deliver": "twice"})
    token = setting.verifier.begin(AT_ONCE)
    setting.world.advance(0)  # sends what is due
    assert setting.verifier.result(token).employer
    setting.world.verify({"kind": "webhook", "match": {"status": 204}, "times": {"exactly": 4}})


def test_hears_an_event_late(setting: Setting) -> None:
    setting.world.add_fault({"on": "webhook", "state": ["completed"], "deliver": {"late": "2h"}})
    token = setting.verifier.begin(IN_A_DAY)
    setting.world.advance("24h")
    with pytest.raises(Pending):
        setting.verifier.result(token)
    setting.world.advance("2h")
    assert setting.verifier.result(token).as_of == date(2025, 1, 16)


def test_hears_events_out_of_order(setting: Setting) -> None:
    setting.world.add_fault({"on": "webhook", "state": ["processing"], "deliver": "out-of-order"})
    token = setting.verifier.begin(IN_A_DAY)
    setting.world.advance("24h")
    assert setting.verifier.result(token).as_of == date(2025, 1, 16)
    setting.world.verify({"kind": "webhook", "times": {"exactly": 2}})


def test_hears_an_event_before_the_answer(setting: Setting) -> None:
    setting.world.add_fault({"on": "webhook", "deliver": "before-answer"})
    assert setting.verifier.result(setting.verifier.begin(AT_ONCE)).employer


def test_hears_an_event_again_that_it_could_not_take(setting: Setting) -> None:
    setting.world.add_fault({"on": "get", "respond": {"status": 500}, "times": 3})
    token = setting.verifier.begin(AT_ONCE)
    setting.world.advance(0)
    with pytest.raises(Pending):
        setting.verifier.result(token)
    setting.world.advance("1m")
    assert setting.verifier.result(token).employer


def test_refuses_another_token(setting: Setting) -> None:
    setting.world.add_fault({"on": "webhook", "deliver": "wrong-token"})
    token = setting.verifier.begin(AT_ONCE)
    setting.world.advance(0)
    setting.world.verify({"kind": "webhook", "match": {"status": 401}})
    with pytest.raises(Pending):
        setting.verifier.result(token)


def test_unavailable(setting: Setting) -> None:
    with pytest.raises(Unavailable):
        setting.verifier.begin(FROZEN)


def test_canceled(setting: Setting) -> None:
    token = setting.verifier.begin(REFUSES)
    setting.world.advance(0)
    with pytest.raises(Canceled):
        setting.verifier.result(token)


def test_retries_after_too_many_requests(setting: Setting) -> None:
    setting.world.add_fault({"on": "get", "respond": {"status": 429, "headers": {"Retry-After": "7"}}, "times": 1})
    token = setting.verifier.begin(AT_ONCE)
    setting.world.advance(0)
    assert setting.verifier.result(token).employer
    assert setting.waits == [timedelta(seconds=7)]


def test_retries_at_an_instant(setting: Setting) -> None:
    setting.world.add_fault({"on": "get", "respond": {"status": 429, "dates": {"Retry-After": "7s"}}, "times": 1})
    token = setting.verifier.begin(AT_ONCE)
    setting.world.advance(0)
    assert setting.verifier.result(token).employer
    assert setting.waits == [timedelta(seconds=7)]


def test_does_not_wait_for_an_hour(setting: Setting) -> None:
    token = setting.verifier.begin(AT_ONCE)
    setting.world.advance(0)
    setting.world.add_fault({"on": "get", "respond": {"status": 429, "headers": {"Retry-After": "3600"}}})
    with pytest.raises(GaveUp):
        setting.verifier.result(token)
    assert setting.waits == []


def test_gives_up(setting: Setting) -> None:
    token = setting.verifier.begin(AT_ONCE)
    setting.world.advance(0)
    setting.world.add_fault({"on": "get", "respond": {"status": 500}})
    with pytest.raises(GaveUp):
        setting.verifier.result(token)
    setting.world.verify({"operation": "getVerificationRequest", "match": {"status": 500}, "times": {"exactly": 3}})


def test_expires(setting: Setting) -> None:
    token = setting.verifier.begin(IN_A_DAY)
    setting.world.advance(timedelta(days=32))
    with pytest.raises(Expired):
        setting.verifier.result(token)
