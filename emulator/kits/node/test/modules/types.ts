// Compiled as an ES module and as CommonJS, and run.
import { test } from "node:test";
import { start, type Server, type World } from "understudy-testing";

test("TypeScript", async (t) => {
  const understudy: Server = await start();
  const world: World = await understudy.world(t);
  const { state } = await world.verificationRequest("vr_completed");
  if (state !== "completed") throw new Error(state);
});
