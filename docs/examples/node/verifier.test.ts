import assert from "node:assert/strict";
import { after, test, type TestContext } from "node:test";
import { start } from "understudy-testing";
import { Expired, GaveUp, Unavailable, Verifier } from "./verifier.js";

const understudy = await start();
after(() => understudy.stop());

/** Returns a verifier in a world of its own: where it waits, the world's clock moves, and the wait is recorded. */
async function begin(t: TestContext) {
  const world = await understudy.world(t);
  const waits: number[] = [];
  const wait = async (span: number) => {
    waits.push(span);
    await world.advance(`${span}ms`);
  };
  return { verifier: new Verifier(world.url, world.key, wait, () => world.now()), world, waits };
}

test("completes", async (t) => {
  const { verifier, world, waits } = await begin(t);
  const income = await verifier.income("vr_lifecycle_timed");
  assert.equal(income.asOf, "2025-01-16");
  assert.ok(income.employer && income.grossPay);
  assert.deepEqual(waits, Array(4).fill(6 * 60 * 60 * 1000));
  await world.verify({ operation: "getVerificationRequest", times: { exactly: 5 } });
});

test("unavailable", async (t) => {
  const { verifier } = await begin(t);
  await assert.rejects(verifier.income("vr_error_451"), Unavailable);
});

test("retries after too many requests", async (t) => {
  const { verifier, world, waits } = await begin(t);
  await world.addFault({ on: "get", respond: { status: 429, headers: { "Retry-After": "7" } }, times: 1 });
  await verifier.income("vr_completed");
  assert.deepEqual(waits, [7000]);
});

test("retries after a server error", async (t) => {
  const { verifier, world } = await begin(t);
  await world.addFault({ on: "get", respond: { status: 500 }, times: 2 });
  await verifier.income("vr_completed");
});

test("gives up", async (t) => {
  const { verifier, world } = await begin(t);
  await world.addFault({ on: "get", respond: { status: 500 } });
  await assert.rejects(verifier.income("vr_completed"), GaveUp);
  await world.verify({ operation: "getVerificationRequest", times: { exactly: 3 } });
});

test("expires", async (t) => {
  const { verifier, world } = await begin(t);
  await verifier.income("vr_lifecycle_timed");
  await world.advance(`${31 * 24}h`);
  await assert.rejects(verifier.income("vr_lifecycle_timed"), Expired);
});
