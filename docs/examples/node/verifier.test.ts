import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test, type TestContext } from "node:test";
import { start } from "understudy-testing";
import { Canceled, Expired, GaveUp, Pending, Unavailable, Verifier } from "./verifier.js";

const understudy = await start();
after(() => understudy.stop());

const applicant = (ssn: string) => ({ first_name: "Ada", last_name: "Example", social_security_number: ssn, date_of_birth: "1990-02-28" });
const atOnce = applicant("000-00-0000"), inADay = applicant("000-00-1002"), frozen = applicant("000-00-0451"), refuses = applicant("000-77-0002");

/** Returns a verifier that hears the events of a world of its own: where it waits, the wait is recorded. */
async function begin(t: TestContext) {
  const world = await understudy.world(t);
  const waits: number[] = [];
  const verifier = new Verifier(world.url, world.key, "secret", async (span) => void waits.push(span), () => world.now());
  const server = createServer(verifier.listener).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await world.webhook(url, { token: "secret", events: ["verification_request.state.change"] });
  return { verifier, world, waits };
}

test("completes", async (t) => {
  const { verifier, world } = await begin(t);
  const token = await verifier.begin(inADay);
  await assert.rejects(verifier.result(token), Pending);
  await world.advance("24h");
  const income = await verifier.result(token);
  assert.equal(income.asOf, "2025-01-16");
  assert.ok(income.employer && income.grossPay);
  await world.verify({ kind: "webhook", times: { exactly: 2 } });
});

test("hears an event twice", async (t) => {
  const { verifier, world } = await begin(t);
  await world.addFault({ on: "webhook", deliver: "twice" });
  const token = await verifier.begin(atOnce);
  await world.advance(0); // sends what is due
  assert.ok((await verifier.result(token)).employer);
  await world.verify({ kind: "webhook", match: { status: 204 }, times: { exactly: 4 } });
});

test("hears an event late", async (t) => {
  const { verifier, world } = await begin(t);
  await world.addFault({ on: "webhook", state: ["completed"], deliver: { late: "2h" } });
  const token = await verifier.begin(inADay);
  await world.advance("24h");
  await assert.rejects(verifier.result(token), Pending);
  await world.advance("2h");
  assert.equal((await verifier.result(token)).asOf, "2025-01-16");
});

test("hears events out of order", async (t) => {
  const { verifier, world } = await begin(t);
  await world.addFault({ on: "webhook", state: ["processing"], deliver: "out-of-order" });
  const token = await verifier.begin(inADay);
  await world.advance("24h");
  assert.equal((await verifier.result(token)).asOf, "2025-01-16");
  await world.verify({ kind: "webhook", times: { exactly: 2 } });
});

test("hears an event before the answer", async (t) => {
  const { verifier, world } = await begin(t);
  await world.addFault({ on: "webhook", deliver: "before-answer" });
  assert.ok((await verifier.result(await verifier.begin(atOnce))).employer);
});

test("hears an event again that it could not take", async (t) => {
  const { verifier, world } = await begin(t);
  await world.addFault({ on: "get", respond: { status: 500 }, times: 3 });
  const token = await verifier.begin(atOnce);
  await world.advance(0);
  await assert.rejects(verifier.result(token), Pending);
  await world.advance("1m");
  assert.ok((await verifier.result(token)).employer);
});

test("refuses another token", async (t) => {
  const { verifier, world } = await begin(t);
  await world.addFault({ on: "webhook", deliver: "wrong-token" });
  const token = await verifier.begin(atOnce);
  await world.advance(0);
  await world.verify({ kind: "webhook", match: { status: 401 } });
  await assert.rejects(verifier.result(token), Pending);
});

test("unavailable", async (t) => {
  const { verifier } = await begin(t);
  await assert.rejects(verifier.begin(frozen), Unavailable);
});

test("canceled", async (t) => {
  const { verifier, world } = await begin(t);
  const token = await verifier.begin(refuses);
  await world.advance(0);
  await assert.rejects(verifier.result(token), Canceled);
});

test("retries after too many requests", async (t) => {
  const { verifier, world, waits } = await begin(t);
  await world.addFault({ on: "get", respond: { status: 429, headers: { "Retry-After": "7" } }, times: 1 });
  const token = await verifier.begin(atOnce);
  await world.advance(0);
  assert.ok((await verifier.result(token)).employer);
  assert.deepEqual(waits, [7000]);
});

test("retries at an instant", async (t) => {
  const { verifier, world, waits } = await begin(t);
  await world.addFault({ on: "get", respond: { status: 429, dates: { "Retry-After": "7s" } }, times: 1 });
  const token = await verifier.begin(atOnce);
  await world.advance(0);
  assert.ok((await verifier.result(token)).employer);
  assert.deepEqual(waits, [7000]);
});

test("does not wait for an hour", async (t) => {
  const { verifier, world, waits } = await begin(t);
  const token = await verifier.begin(atOnce);
  await world.advance(0);
  await world.addFault({ on: "get", respond: { status: 429, headers: { "Retry-After": "3600" } } });
  await assert.rejects(verifier.result(token), GaveUp);
  assert.deepEqual(waits, []);
});

test("gives up", async (t) => {
  const { verifier, world } = await begin(t);
  const token = await verifier.begin(atOnce);
  await world.advance(0);
  await world.addFault({ on: "get", respond: { status: 500 } });
  await assert.rejects(verifier.result(token), GaveUp);
  await world.verify({ operation: "getVerificationRequest", match: { status: 500 }, times: { exactly: 3 } });
});

test("expires", async (t) => {
  const { verifier, world } = await begin(t);
  const token = await verifier.begin(inADay);
  await world.advance(`${32 * 24}h`);
  await assert.rejects(verifier.result(token), Expired);
});
