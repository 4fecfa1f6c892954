import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { execPath } from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { connect, start } from "../src/index.js";

const built = fileURLToPath(new URL("..", import.meta.url));

test("a missing program", async () => {
  await assert.rejects(start({ binary: "/missing/understudy" }), {
    message: 'there is no program "/missing/understudy". Name it by the option binary or the variable UNDERSTUDY_BINARY, or put understudy ' +
      "on the PATH. In a clone, this builds it: go build -o understudy ./cmd/understudy",
  });
});

test("a start that fails", async () => {
  await assert.rejects(start({ args: ["--seed", "many"] }), /understudy ended with 2:\n[^]*seed/);
});

test("more flags, a token, and a stop", async () => {
  const understudy = await start({ args: ["--key-prefix", "svc"], controlToken: "made-up-token-for-tests" });
  await assert.rejects(connect(understudy.url, { controlToken: "another-token" }).then((other) => other.world()), { name: "ControlError", status: 401 });
  const world = await understudy.world();
  await world.delete();
  await understudy.stop();
  await understudy.stop();
  await assert.rejects(connect(understudy.url), new RegExp(`^Error: understudy does not answer at ${understudy.url}: `));
});

test("a store that the environment names is not used", async (t) => {
  process.env["UNDERSTUDY_STORE"] = "file:/missing/folder/store.db";
  t.after(() => delete process.env["UNDERSTUDY_STORE"]);
  await using understudy = await start();
  await (await understudy.world()).delete();
});

test("an emulator that runs already", async (t) => {
  await using understudy = await start({ args: ["--clock", "real"] });
  process.env["UNDERSTUDY_URL"] = `${understudy.url}/`;
  t.after(() => delete process.env["UNDERSTUDY_URL"]);
  const same = await start({ binary: "/missing/understudy" });
  assert.equal(same.url, understudy.url);
  await same.stop(); // leaves it running
  await using world = await understudy.world();
  assert.equal((await world.now()).getTime(), (await world.now()).getTime());
});

test("several at a time", async () => {
  const all = await Promise.all([start(), start(), start()]);
  assert.equal(new Set(all.map((understudy) => understudy.url)).size, 3);
  await Promise.all(all.map((understudy) => understudy.stop()));
});

// Ends the process of some tests in two ways: by itself, and by SIGTERM, as vitest ends its workers.
for (const [how, end] of [["at its exit", ""], ["by SIGTERM", "setInterval(() => {}, 1000);"]] as const) {
  test(`an emulator ends with the process of the tests, ${how}`, { timeout: 60_000 }, async () => {
    const code = `import { start } from "./src/index.js"; console.log((await start()).url); ${end}`;
    const process = spawn(execPath, ["--input-type=module", "-e", code], { cwd: built, stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(process, "exit");
    const [url] = await once(process.stdout, "data");
    if (end) process.kill();
    assert.deepEqual(await ended, end ? [null, "SIGTERM"] : [0, null]);
    while (await connect(String(url).trim()).then(() => true, () => false)); // it finishes what it does
  });
}
