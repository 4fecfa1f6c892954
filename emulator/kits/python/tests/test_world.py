from datetime import datetime, timedelta, timezone

import pytest
from api import get
from understudy import ControlError, Server, World, start


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
    with pytest.raises(ControlError, match="no credentials session"):
        world.credentials_session("cs_absent")


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


def test_scenario(understudy_world: World) -> None:
    understudy_world.put_scenario("mine", "{name: mine, title: One of my own, magic: {verification_request: vr_mine}}")
    assert get(understudy_world, "vr_mine")[0] == 200


def test_journal(understudy_world: World) -> None:
    world = understudy_world
    get(world, "vr_completed")
    get(world, "vr_absent")
    absent, completed = world.journal()
    assert (completed["status"], completed["scenario"], absent["status"]) == (200, "completed", 400)
    assert world.journal(status="4xx") == world.journal(status=400, path="/verification-requests/*") == [absent]
    assert world.journal(operation="getVerificationRequest", since=completed["id"], q="absent") == [absent]


def test_verify(understudy_world: World) -> None:
    get(understudy_world, "vr_completed")
    understudy_world.verify({"operation": "getVerificationRequest", "times": {"exactly": 1}})
    with pytest.raises(AssertionError, match="No request matched cancelVerificationRequest; expected at least 1"):
        understudy_world.verify({"operation": "cancelVerificationRequest"})
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
    world.reset()
    assert world.verification_requests() == []
    world.restore(before)
    assert world.snapshot() == before


def test_delete(understudy: Server) -> None:
    with understudy.world() as world:
        get(world, "vr_completed")
    assert world.journal() == []
    world.delete()
