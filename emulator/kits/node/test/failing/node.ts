// Two tests of which one fails, for ../failing.test.ts.
import { test } from "node:test";
import { start, type World } from "../../src/index.js";

const understudy = await start();
const read = async (world: World, path: string) => {
  const headers = { Authorization: `Bearer ${world.key}`, Accept: "application/json; version=2019-10-15" };
  await fetch(world.url + path, { headers }).catch(() => "broken off");
};

test("passes", async (t) => {
  await read(await understudy.world(t), "/verification-requests/vr_processing");
});

test("fails", async (t) => {
  const world = await understudy.world(t);
  await read(world, "/verification-requests/vr_completed?fields=state");
  await read(world, "/verification-requests/vr_completd");
  await world.addFault({ on: "any", fault: "empty" });
  await read(world, "/verification-requests/vr_processing");
  await read(world, "/v1/verification-requests/vr_completed");
  throw new Error("it does not work");
});
