import { expect, test } from "vitest";
import { start } from "understudy-testing";

test("vitest", async (t) => {
  const world = await (await start()).world(t);
  expect((await world.verificationRequest("vr_completed")).state).toBe("completed");
});
