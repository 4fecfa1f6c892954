// For jest, which loads CommonJS.
const { start, ControlError } = require("understudy-testing");

let understudy;
beforeAll(async () => (understudy = await start()));
afterAll(() => understudy.stop());

test("jest", async () => {
  const world = await understudy.world(expect.getState().currentTestName);
  const { resource } = await world.createVerificationRequest({ scenario: "completed" });
  expect(resource.state).toBe("completed");
  await expect(world.move("vr_completed", "processing")).rejects.toThrow(ControlError);
  await expect(world.verify({ operation: "getVerificationRequest" })).rejects.toThrow(/No request matched/);
  await world.delete();
});
