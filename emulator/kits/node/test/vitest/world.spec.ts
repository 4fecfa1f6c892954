import { afterAll, expect, test } from "vitest";
import { start, type VerificationRequest } from "../../src/index.js";

const understudy = await start();
afterAll(() => understudy.stop());

test.concurrent("completes a day later", async (t) => {
  const world = await understudy.world(t);
  const state = async () => {
    const answer = await fetch(`${world.url}/verification-requests/vr_lifecycle_timed`, { headers: { Authorization: `Bearer ${world.key}` } });
    return ((await answer.json()) as VerificationRequest).state;
  };
  expect(await state()).toBe("pending-approval");
  await world.advance("24h");
  expect(await state()).toBe("completed");
});

test.concurrent("an unmet expectation", async (t) => {
  const world = await understudy.world(t);
  await expect(world.verify({ operation: "getVerificationRequest" })).rejects.toThrow("getVerificationRequest");
});
