// Two tests of which one fails, for ../failing.test.ts.
import { expect, test } from "vitest";
import { start } from "../../src/index.js";

const understudy = await start();

test("passes", async (t) => {
  const world = await understudy.world(t);
  await fetch(`${world.url}/verification-requests/vr_processing`, { headers: { Authorization: `Bearer ${world.key}` } });
});

test("fails", async (t) => {
  const world = await understudy.world(t);
  const answer = await fetch(`${world.url}/verification-requests/vr_completd`, { headers: { Authorization: `Bearer ${world.key}` } });
  expect(answer.status).toBe(200);
});
