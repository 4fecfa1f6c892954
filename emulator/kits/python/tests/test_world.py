import json
import threading
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from types import MappingProxyType
from urllib.request import Request, urlopen

import pytest
from api import get
from understudy import ControlError, Server, World, start


SESSION = b"""{"type": "employment-income", "use_case": "tenant", "permissible_purpose": "employee-request", "target":
{"first_name": "Ada", "last_name": "Example", "social_security_number": "000-12-3456", "date_of_birth": "1990-02-28"}}"""


def test_key(understudy: Server) -> None:
    with understudy.world("test_key[a b/ü]" + 200 * "x") as one, understudy.world("test_key") as other:
        assert one.key != other.key
        assert get(one, "vr_completed")[0] == get(other, "vr_completed")[0] == 200
        assert len(one.journal()) == 1


def test_clock(understudy_world: World) -> None:
    world = understudy_world
    assert world.now == datetime(2025, 1, 15, 9, tzinfo=timezone.utc)
    world.advance(timedelta(hours=24))
    world.advance("90m")
    world.advance(0)
    world.advance(timedelta(0))
    world.advance(0.5)
    world.advance(timedelta(milliseconds=-500) + timedelta(seconds=1))
    assert world.now == datetime(2025, 1, 16, 10, 30, 1, tzinfo=timezone.utc)
    world.set_clock(datetime(2025, 1, 16, 12, 0, 0, 250_000, timezone(timedelta(hours=1))))
    assert world.now == datetime(2025, 1, 16, 11, 0, 0, 250_000, timezone.utc)
    world.set_clock("2025-02-01T00:00:00Z")
    world.unfreeze()
    world.freeze()
    assert datetime(2025, 2, 1, tzinfo=timezone.utc) < world.now == world.now
    with pytest.raises(ControlError, match="is not an instant"):
        world.set_clock(datetime(2025, 3, 1))
    with pytest.raises(ControlError, match="does not go back") as refused:
        world.set_clock("2025-01-01T00:00:00Z")
    assert refused.value.status == 409


def test_running_clock_is_frozen() -> None:
    with start(args=["--clock", "real"]) as server, server.world() as world:
        assert world.now == world.now


def test_verification_requests(understudy_world: World) -> None:
    world = understudy_world
    created = world.create_verification_request({"id": "vr_mine", "scenario": "lifecycle-timed"})
    assert (created["state"], created["resource"]["id"]) == ("pending-approval", "vr_mine")
    world.create_verification_request('{id: vr_other, scenario: completed, verification_request: {set: {loan_id: "7"}}}')
    assert [request["id"] for request in world.verification_requests()] == ["vr_mine", "vr_other"]
    assert world.verification_request("vr_other")["resource"]["loan_id"] == "7"
    assert world.change_verification_request("vr_mine", {"set": {"loan_id": "8"}})["resource"]["loan_id"] == "8"
    assert world.move("vr_mine", "processing")["state"] == "processing"
    with pytest.raises(ControlError):
        world.move("vr_other", "processing")
    assert world.force("vr_other", "processing")["state"] == "processing"
    world.delete_verification_request("vr_mine")
    with pytest.raises(ControlError) as refused:
        world.verification_request("vr_mine")
    assert refused.value.status == 404


def test_wait_for(understudy_world: World) -> None:
    world = understudy_world
    world.create_verification_request({"id": "vr_mine", "scenario": "lifecycle-timed"})
    assert world.wait_for("vr_mine", "pending-approval")["id"] == "vr_mine"
    assert world.now == datetime(2025, 1, 15, 9, tzinfo=timezone.utc)
    assert world.wait_for("vr_mine", "completed")["state"] == "completed"
    assert world.now == datetime(2025, 1, 16, 9, tzinfo=timezone.utc)
    with pytest.raises(AssertionError, match="vr_mine is completed, not canceled, after 0 s: no step of its timeline follows"):
        world.wait_for("vr_mine", "canceled", within=0)
    with pytest.raises(ControlError, match="did you mean completed"):
        world.wait_for("vr_mine", "complete")
    with pytest.raises(ControlError, match="vr_absent"):
        world.wait_for("vr_absent", "completed")


@pytest.mark.parametrize("id", ["vr_lifecycle", "vr_lifecycle_timed"])
def test_wait_for_code_that_polls(understudy_world: World, id: str) -> None:
    def poll() -> None:
        while get(understudy_world, id)[1]["state"] != "completed":
            pass

    with pytest.raises(AssertionError, match=f"{id} is pending-approval, not completed, after 0.1 s: no request has asked for it"):
        understudy_world.wait_for(id, "completed", within=timedelta(seconds=0.1))
    assert understudy_world.now == datetime(2025, 1, 15, 9, tzinfo=timezone.utc)
    code = threading.Thread(target=poll)
    code.start()
    assert understudy_world.wait_for(id, "completed", within=timedelta(minutes=1))["state"] == "completed"
    code.join()


def test_wait_for_what_only_reads_bring(understudy_world: World) -> None:
    get(understudy_world, "vr_lifecycle")
    with pytest.raises(AssertionError, match="vr_lifecycle is pending-approval, not completed, after 0 s: processing comes after 1 read"):
        understudy_world.wait_for("vr_lifecycle", "completed", within=0)


def test_bodies(understudy_world: World) -> None:
    world = understudy_world
    report = {"pay": {"base": Decimal("6.2E4")}, "set": {"employee": {"hired_date": date(2022, 1, 10)}}}
    timeline = [{"state": "processing"}, {"state": "completed", "after": {"elapsed": timedelta(hours=1)}}]
    body = {"id": "vr_mine", "verification_request": {"timeline": timeline}, "reports": (report,)}
    world.create_verification_request(MappingProxyType(body))
    (shown,) = world.wait_for("vr_mine", "completed")["resource"]["reports"]
    assert (shown["employee"]["hired_date"], shown["employee"]["salary"]["gross_pay"]) == ("2022-01-10", "2384.62")  # 26 times a year
    with pytest.raises(TypeError, match="a body has no set"):
        world.add_fault({"on": {"get"}})


def test_pages(understudy_world: World) -> None:
    ids = [f"vr_{number:04}" for number in range(101)]
    for id in ids:
        understudy_world.create_verification_request({"id": id, "scenario": "completed"})
        get(understudy_world, id)
    assert [request["id"] for request in understudy_world.verification_requests()] == ids
    paths = [entry["path"].rpartition("/")[2] for entry in understudy_world.journal()]
    assert paths == ids[::-1]
    assert len(understudy_world.journal(limit=3)) == 3


def test_other_resources(understudy_world: World) -> None:
    world = understudy_world
    property = world.create_tenant_property({"tenant_property": {"set": {"name": "Quay House"}}})
    assert world.tenant_property(property["id"]) == property
    check = world.create_qualification_check("{qualification_check: {rent: 1450.00}}")
    assert check["property_details"]["rent"] == "1450.00"
    assert world.qualification_check(check["id"]) == check
    world.set_settings({"session_flow": "manual"})
    headers = {"Authorization": f"Bearer {world.key}", "Content-Type": "application/json"}
    urlopen(Request(f"{world.url}/credentials/session", SESSION, headers)).close()
    (listed,) = world.control.items("credentials-sessions")
    session = world.credentials_session(listed["id"])
    assert world.verification_request(session["verification_request_id"])["credentials_session_id"] == session["id"]
    assert session["flow"] == "manual" and session["outcome"] is None and session["flow_url"]
    finished = world.finish_session(session["id"], "failure")
    assert (finished["state"], finished["outcome"]) == ("canceled", "failure")
    with pytest.raises(ControlError, match="is finished: its outcome is failure"):
        world.finish_session(session["id"])
    with pytest.raises(ControlError, match="no credentials session"):
        world.credentials_session("cs_absent")


def test_settings(understudy_world: World) -> None:
    settings = understudy_world.settings()
    assert settings == {"grease": "off", "session_flow": "auto", "account": {}}
    settings["grease"] = "values"
    assert understudy_world.set_settings(settings) == settings == understudy_world.settings()
    assert understudy_world.set_settings("{session_flow: manual}") == {"grease": "off", "session_flow": "manual", "account": {}}
    with pytest.raises(ControlError, match="did you mean values"):
        understudy_world.set_settings({"grease": "vaules"})


def test_faults(understudy_world: World) -> None:
    world = understudy_world
    fault = world.add_fault({"on": "get", "respond": {"status": 500}, "times": 1})
    assert (fault["remaining"], world.faults()) == (1, [fault])
    world.add_fault({"on": "get", "respond": {"status": 429}}, resource="vr_completed", lasting=timedelta(minutes=10))
    assert [get(world, "vr_completed")[0] for _ in range(2)] == [500, 429]
    world.advance("11m")
    assert (get(world, "vr_completed")[0], world.faults()) == (200, [])
    world.remove_fault(world.add_fault({"on": "get", "respond": {"status": 500}})["id"])
    world.add_fault({"on": "get", "respond": {"status": 501}})
    world.remove_faults()
    assert get(world, "vr_completed")[0] == 200
    world.add_fault("limited-long", resource="vr_completed")
    assert get(world, "vr_completed")[0] == 429
    with pytest.raises(ControlError, match='unknown key "drop"'):
        world.add_fault({"on": "get", "drop": True})


@pytest.mark.parametrize("rule", ['{"on": "get",\n"respond": {"status": 500}}', "on: get\nrespond:\n  status: 500 # as an outage\n"])
def test_fault_of_text(understudy_world: World, rule: str) -> None:
    fault = understudy_world.add_fault(rule, resource="vr_completed", lasting=600)
    assert (fault["rule"], fault["resource"]) == ({"on": "get", "respond": {"status": 500}}, "vr_completed")
    assert fault["expires"] == "2025-01-15T09:10:00Z"


def test_scenario(understudy_world: World) -> None:
    understudy_world.put_scenario("mine", "{name: mine, title: One of my own, magic: {verification_request: vr_mine}}")
    assert get(understudy_world, "vr_mine")[0] == 200
    understudy_world.delete_scenario("mine")
    assert get(understudy_world, "vr_mine")[0] == 400
    understudy_world.put_scenario("mine", {"name": "mine", "title": "One of my own", "magic": {"verification_request": "vr_mine"}})
    assert get(understudy_world, "vr_mine")[0] == 200


def test_journal(understudy_world: World) -> None:
    world = understudy_world
    get(world, "vr_completed")
    get(world, "vr_absent")
    absent, completed = world.journal()
    assert (completed["status"], completed["scenario"], absent["status"]) == (200, "completed", 400)
    assert world.journal(status="4xx") == world.journal(status=400, path="/verification-requests/*") == [absent]
    assert world.journal(operation="getVerificationRequest", since=completed["id"], q="absent") == [absent]
    assert world.journal(since=world.now) == [absent, completed]
    whole = world.journal_entry(absent["id"])
    assert whole["response"] and whole["response"]["json"] == {"error": {"message": "Verification not found"}}


def test_verify(understudy_world: World) -> None:
    get(understudy_world, "vr_completed")
    understudy_world.verify({"operation": "getVerificationRequest", "times": {"exactly": 1}})
    understudy_world.verify("operation: getVerificationRequest\ntimes: {exactly: 1}")
    with pytest.raises(AssertionError, match="No request matched cancelVerificationRequest; expected at least 1"):
        understudy_world.verify({"operation": "cancelVerificationRequest"})
    with pytest.raises(ControlError, match='"/status" must be in match'):
        understudy_world.verify({"status": 200})
    with pytest.raises(ControlError, match="unknown key"):
        understudy_world.verify({"opeartion": "cancelVerificationRequest"})


def test_verify_without_journal() -> None:
    with start(args=["--journal-size", "0"]) as server, server.world() as world:
        with pytest.raises(ControlError):
            world.verify({"operation": "getVerificationRequest"})


def test_snapshot(understudy_world: World) -> None:
    world = understudy_world
    world.create_verification_request({"id": "vr_mine", "scenario": "completed"})
    before = world.snapshot()
    assert json.loads(before.splitlines()[0])["seed"] == 1
    world.reset()
    assert world.verification_requests() == []
    world.restore(before)
    assert world.snapshot() == before


def test_delete(understudy: Server) -> None:
    with understudy.world() as world:
        get(world, "vr_completed")
    assert world.journal() == []
    world.delete()
    world.delete()


def begin_session(world: World) -> dict[str, str]:
    request = Request(f"{world.url}/credentials/session", SESSION, {"Authorization": f"Bearer {world.key}", "Content-Type": "application/json"})
    with urlopen(request) as answer:
        session: dict[str, str] = json.load(answer)
        return session


def test_receiver(understudy_world: World) -> None:
    world = understudy_world
    hook = world.receiver(events=["verification_request.state.change"])
    token = begin_session(world)["token"]
    event = hook.next(state="completed")
    assert event["data"]["credentials_session_token"] == token
    assert get(world, event["data"]["verification_request_id"])[1]["state"] == "completed"
    assert [one["data"]["state"] for one in hook.events] == ["processing", "completed"]
    world.create_verification_request({"id": "vr_mine", "scenario": "lifecycle-timed"})
    assert hook.next(state="completed", advance=timedelta(days=2))["data"]["verification_request_id"] == "vr_mine"
    assert {delivery["status"] for delivery in world.deliveries()} == {"delivered"}
    with pytest.raises(AssertionError, match="no credentials_session.state.change invalid came within 0.05 s: .*change processing"):
        hook.next(event="credentials_session.state.change", state="invalid", within=0.05)


def test_receiver_twice_and_late(understudy_world: World) -> None:
    world = understudy_world
    hook = world.receiver(events=["verification_request.state.change"])
    world.add_fault({"on": "webhook", "state": ["completed"], "deliver": "twice"})
    world.add_fault({"on": "webhook", "state": ["processing"], "deliver": {"late": "2h"}})
    begin_session(world)
    with pytest.raises(AssertionError, match="no event came"):
        hook.next(within=0.05)
    assert hook.next(advance="2h")["data"]["state"] == "processing"
    assert hook.next(state="completed") == hook.next(state="completed")


def test_webhook(understudy_world: World) -> None:
    world = understudy_world
    made = world.webhook("http://127.0.0.1:9/hooks", token="secret", version="2022-08-01")
    assert (made["id"], made["token"], made["version"]) == (1, "secret", "2022-08-01")
    begin_session(world)
    world.advance("1m")
    assert world.deliveries(status="due") and not world.deliveries(status="delivered")
    with pytest.raises(ControlError, match="example.com") as refused:
        world.webhook("http://example.com/hooks")
    assert refused.value.status == 400
