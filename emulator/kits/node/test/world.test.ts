import assert, { AssertionError } from "node:assert/strict";
import { after, test } from "node:test";
import { ControlError, start, type CredentialsSession, type VerificationRequest, type World } from "../src/index.js";

const understudy = await start();
after(() => understudy.stop());

async function stateOf(world: World, id: string): Promise<string> {
  const answer = await fetch(`${world.url}/verification-requests/${id}`, { headers: { Authorization: `Bearer ${world.key}` } });
  return answer.ok ? ((await answer.json()) as VerificationRequest).state : String(answer.status);
}

test("the clock stands until it is moved", async (t) => {
  const world = await understudy.world(t);
  assert.equal((await world.now()).toISOString(), "2025-01-15T09:00:00.000Z");
  assert.equal(await stateOf(world, "vr_lifecycle_timed"), "pending-approval");
  await world.advance("24h");
  assert.equal(await stateOf(world, "vr_lifecycle_timed"), "completed");
  await world.setClock(new Date("2025-03-01T09:00:00Z"));
  await world.unfreeze();
  await world.freeze();
  assert.equal((await world.now()).toISOString().slice(0, 10), "2025-03-01");
  const before = await world.now();
  await world.advance(90);
  await world.advance(0.25);
  assert.equal((await world.now()).getTime() - before.getTime(), 90_250);
  await assert.rejects(world.setClock("2025-01-01T00:00:00Z"), (error) => error instanceof ControlError && error.status === 409 && /does not go back/.test(error.message));
});

test("waitFor moves the clock while the code under test polls", async (t) => {
  for (const [id, moved] of [["vr_lifecycle_timed", 24], ["vr_lifecycle", 0], ["vr_completed", 0]] as const) {
    const world = await understudy.world(t);
    const polls = (async () => {
      while ((await stateOf(world, id)) !== "completed");
    })();
    assert.equal((await world.waitFor(id, "completed")).resource.state, "completed");
    await polls;
    assert.equal((await world.now()).getTime() - Date.parse("2025-01-15T09:00:00Z"), moved * 60 * 60 * 1000);
  }
});

test("waitFor ends", async (t) => {
  const world = await understudy.world(t);
  const says = (message: string) => ({ name: "AssertionError", message });
  await assert.rejects(world.waitFor("vr_lifecycle", "completed", 0.05), says("vr_lifecycle is pending-approval, not completed, after 0.05 s: no request has asked for it"));
  await stateOf(world, "vr_lifecycle");
  await assert.rejects(world.waitFor("vr_lifecycle", "completed", 0.05), says("vr_lifecycle is pending-approval, not completed, after 0.05 s: processing comes after 1 read"));
  await world.createVerificationRequest({ id: "vr_mine", scenario: "canceled" });
  await assert.rejects(world.waitFor("vr_mine", "completed", 0), says("vr_mine is canceled, not completed, after 0 s: no step of its timeline follows"));
  await assert.rejects(world.waitFor("vr_mine", "done" as "completed"), { name: "ControlError", status: 400, message: /"done"/ });
  await assert.rejects(world.waitFor("vr_lifecicle", "completed"), { name: "ControlError", status: 404 });
});

test("a world is of its test alone, and is deleted", async (t) => {
  const world = await understudy.world(t);
  const gone = await understudy.world("other");
  assert.match(world.key, /^svc_sk_test_[0-9a-f]{16}_a-world-is-of-its-test-alone--and-is-deleted$/);
  await gone.force("vr_completed", "processing");
  assert.equal((await world.verificationRequests()).length, 0);
  assert.equal((await gone.verificationRequests()).length, 1);
  await gone.delete();
  assert.equal((await gone.verificationRequests()).length, 0);
});

test("faults", async (t) => {
  const world = await understudy.world(t);
  const fault = await world.addFault({ on: "get", respond: { status: 500 }, times: 1 });
  await world.addFault({ on: "get", respond: { status: 503 } }, { resource: "vr_processing", lasting: 600 });
  assert.equal(fault.remaining, 1);
  assert.equal(await stateOf(world, "vr_completed"), "500");
  assert.equal(await stateOf(world, "vr_processing"), "503");
  await world.advance("11m");
  assert.equal(await stateOf(world, "vr_processing"), "processing");
  await world.addFault("on: any\nfault: empty # a comment", { resource: "vr_completed", lasting: "1h" });
  await world.advance(0);
  assert.equal((await world.faults()).length, 1);
  await world.removeFaults();
  await world.addFault("outage-502");
  assert.equal(await stateOf(world, "vr_completed"), "502");
  await assert.rejects(world.removeFault("fault-7"), { name: "ControlError", message: 'There is no fault "fault-7": the list of faults has the ids', status: 404 });
});

test("the journal", async (t) => {
  const world = await understudy.world(t);
  await stateOf(world, "vr_completed");
  await stateOf(world, "vr_missing");
  const [missing, completed] = await world.journal({ operation: "getVerificationRequest" });
  assert.deepEqual([missing?.status, completed?.status], [400, 200]);
  assert.equal((await world.journal({ status: "4xx", since: new Date("2025-01-15T09:00:00Z") })).length, 1);
  assert.equal((await world.journal({ limit: 1 }))[0]?.id, missing?.id);
  assert.deepEqual((await world.journalEntry(missing?.id ?? "")).response?.json, { error: { message: "Verification not found" } });

  await world.verify({ operation: "getVerificationRequest", match: { status: 200 }, times: { exactly: 1 } });
  await assert.rejects(world.verify({ operation: "cancelVerificationRequest" }), (error) => error instanceof AssertionError && /cancelVerificationRequest/.test(error.message));
  await world.verify("{operation: getVerificationRequest, times: {exactly: 2}}");
  // @ts-expect-error: operations, triggers of rules, and states are enumerations, so that a typo does not compile
  await assert.rejects(world.verify({ operation: "getVerificationReq" }), { name: "ControlError", status: 400 });
  // @ts-expect-error
  await assert.rejects(world.addFault({ on: "gett", fault: "empty" }), { name: "ControlError", status: 400 });
  // @ts-expect-error
  await assert.rejects(world.move("vr_completed", "complete"), { name: "ControlError", status: 400 });
  await assert.rejects(world.verify("{status: 200}"), { name: "ControlError", message: /"\/status" must be in match/ });
  await assert.rejects(world.verify({ match: { headers: { "X-Nonsense": "1" } } }), { name: "ControlError" });
});

test("a list of several pages", async (t) => {
  const world = await understudy.world(t);
  for (let n = 0; n < 1001; n++) await world.createVerificationRequest({ scenario: "completed" });
  assert.equal((await world.verificationRequests()).length, 1001);
});

test("verification requests", async (t) => {
  const world = await understudy.world(t);
  const made = await world.createVerificationRequest("{id: vr_mine, scenario: lifecycle-timed, verification_request: {set: {loan_id: '7'}}}");
  assert.equal(made.resource.loan_id, "7");
  assert.equal((await world.changeVerificationRequest("vr_mine", { set: { loan_id: "8" } })).resource.loan_id, "8");
  assert.equal((await world.move("vr_mine", "processing")).state, "processing");
  assert.equal((await world.force("vr_mine", "completed")).state, "completed");
  await assert.rejects(world.move("vr_mine", "processing"), { name: "ControlError", status: 409 });
  assert.equal((await world.verificationRequest("vr_mine")).scenario, "lifecycle-timed");
  await world.deleteVerificationRequest("vr_mine");
  assert.equal(await stateOf(world, "vr_mine"), "400");
});

test("other resources", async (t) => {
  const world = await understudy.world(t);
  await world.setSettings({ session_flow: "manual" });
  const property = await world.createTenantProperty({ tenant_property: { set: { name: "Quay" } } });
  assert.equal((await world.tenantProperty(property.id)).name, "Quay");
  const check = await world.createQualificationCheck({ qualification_check: { rent: 1450, income_multiple: 3 } });
  assert.equal(check.property_details.rent, "1450.00");
  assert.deepEqual(await world.qualificationCheck(check.id), check);
  const answer = await fetch(`${world.url}/credentials/session`, {
    method: "POST",
    headers: { Authorization: `Bearer ${world.key}`, "Content-Type": "application/json" },
    body: JSON.stringify({
      permissible_purpose: "credit-application", type: "employment-income", use_case: "mortgage",
      target: { first_name: "Ada", last_name: "Example", date_of_birth: "1990-02-28", social_security_number: "000-00-0000" },
    }),
  });
  const { id } = (await answer.json()) as { id: string };
  const session: CredentialsSession = await world.credentialsSession(id);
  assert.equal((await world.verificationRequest(session.verification_request_id)).credentials_session_id, id);
  assert.deepEqual([session.flow, session.outcome, session.flow_url?.split("?")[0]], ["manual", null, "/_understudy/flow"]);
  const { state, outcome } = await world.finishSession(id, "failure");
  assert.deepEqual([state, outcome], ["canceled", "failure"]);
  await assert.rejects(world.finishSession(id), { name: "ControlError", status: 409, message: /is finished: its outcome is failure/ });
});

test("settings", async (t) => {
  const world = await understudy.world(t);
  const settings = await world.settings();
  assert.deepEqual(settings, { grease: "off", session_flow: "auto", account: {} });
  assert.deepEqual(await world.setSettings({ ...settings, grease: "values" }), { ...settings, grease: "values" });
  assert.deepEqual(await world.setSettings("{session_flow: manual}"), { ...settings, session_flow: "manual" });
  await assert.rejects(world.setSettings("{grease: vaules}"), { name: "ControlError", status: 400, message: /did you mean values/ });
});

test("a scenario of the world", async (t) => {
  const world = await understudy.world(t);
  await world.putScenario("mine", "{name: mine, title: Mine, magic: {verification_request: vr_of_mine}, verification_request: {timeline: [{state: processing}]}}");
  assert.equal(await stateOf(world, "vr_of_mine"), "processing");
  await world.putScenario("mine", { name: "mine", title: "Mine", magic: { verification_request: "vr_of_mine" }, verification_request: { timeline: [{ state: "completed" }] } });
  await world.deleteScenario("mine");
  await world.deleteVerificationRequest("vr_of_mine").catch(() => {});
  assert.equal(await stateOf(world, "vr_of_mine"), "400");
});

test("snapshot, restore, reset", async (t) => {
  const [first, second] = [await understudy.world(t), await understudy.world(t)];
  await first.force("vr_completed", "processing");
  const snapshot = await first.snapshot();
  await second.restore(snapshot);
  assert.equal(await second.snapshot(), snapshot);
  assert.equal(await stateOf(second, "vr_completed"), "processing");
  await second.reset();
  assert.equal(await stateOf(second, "vr_completed"), "completed");
});

test("a world at the end of a block", async () => {
  let key = "";
  {
    await using world = await understudy.world();
    key = world.key;
    await world.force("vr_completed", "processing");
  }
  const answer = await fetch(`${understudy.url}/verification-requests/vr_completed`, { headers: { Authorization: `Bearer ${key}` } });
  assert.equal(((await answer.json()) as VerificationRequest).state, "completed");
});

/** Creates a credentials session as the code under test does, and returns its token. */
async function beginSession(world: World): Promise<string> {
  const target = { first_name: "Ada", last_name: "Example", social_security_number: "000-12-3456", date_of_birth: "1990-02-28" };
  const answer = await fetch(`${world.url}/credentials/session`, {
    method: "POST",
    headers: { Authorization: `Bearer ${world.key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ type: "employment-income", use_case: "tenant", permissible_purpose: "employee-request", target }),
  });
  return ((await answer.json()) as { token: string }).token;
}

test("a receiver hears the events of its world", async (t) => {
  const world = await understudy.world(t);
  const hook = await world.receiver({ events: ["verification_request.state.change"] });
  const token = await beginSession(world);
  const { data } = await hook.next({ state: "completed" });
  assert.equal(data.credentials_session_token, token);
  assert.equal(await stateOf(world, data.verification_request_id), "completed");
  assert.deepEqual(hook.events.map((event) => event.data.state), ["processing", "completed"]);
  await world.createVerificationRequest({ id: "vr_mine", scenario: "lifecycle-timed" });
  assert.equal((await hook.next({ state: "completed", advance: "48h" })).data.verification_request_id, "vr_mine");
  assert.ok((await world.deliveries()).every((delivery) => delivery.status === "delivered"));
  const missing = /no credentials_session.state.change invalid came within 0.05 s: .*change processing/;
  await assert.rejects(hook.next({ event: "credentials_session.state.change", state: "invalid", within: 0.05 }), { name: "AssertionError", message: missing });
});

test("a receiver hears an event twice, and late", async (t) => {
  const world = await understudy.world(t);
  const hook = await world.receiver({ events: ["verification_request.state.change"] });
  await world.addFault({ on: "webhook", state: ["completed"], deliver: "twice" });
  await world.addFault({ on: "webhook", state: ["processing"], deliver: { late: "2h" } });
  await beginSession(world);
  await assert.rejects(hook.next({ within: 0.05 }), AssertionError);
  assert.equal((await hook.next({ advance: "2h" })).data.state, "processing");
  assert.deepEqual(await hook.next({ state: "completed" }), await hook.next({ state: "completed" }));
});

test("a webhook is a subscription", async (t) => {
  const world = await understudy.world(t);
  const made = await world.webhook("http://127.0.0.1:9/hooks", { token: "secret", version: "2022-08-01" });
  assert.deepEqual([made.id, made.token, made.version], [1, "secret", "2022-08-01"]);
  await beginSession(world);
  await world.advance("1m");
  assert.ok((await world.deliveries({ status: "due" })).length > 0);
  assert.equal((await world.deliveries({ status: "delivered" })).length, 0);
  await assert.rejects(world.webhook("http://example.com/hooks"), { name: "ControlError", status: 400, message: /example.com/ });
});
