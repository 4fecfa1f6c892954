import assert from "node:assert/strict";
import { after, test } from "node:test";
import { GenericContainer, Wait } from "testcontainers";
import { connect } from "understudy-testing";

const container = await new GenericContainer("understudy")
  .withCommand(["serve", "--clock", "2025-01-15T09:00:00Z"])
  .withExposedPorts(8080)
  .withWaitStrategy(Wait.forHealthCheck())
  .start();
after(() => container.stop());
const understudy = await connect(`http://${container.getHost()}:${container.getMappedPort(8080)}`);

test("a world in a container", async (t) => {
  const world = await understudy.world(t);
  await world.advance("24h");
  assert.equal((await world.now()).toISOString(), "2025-01-16T09:00:00.000Z");
});
