import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execPath } from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { connect, start } from "../src/index.js";

const built = fileURLToPath(new URL("..", import.meta.url));

test("a missing program", async () => {
  const places = /^ {2}the option binary: .*\n {2}bundled: .* package understudy-testing-[a-z0-9]+-[a-z0-9]+, .*\n {2}UNDERSTUDY_BINARY: .*\n {2}the PATH: .*go build -o understudy \.\/cmd\/understudy/m;
  await assert.rejects(start({ binary: "/missing/understudy" }), places);
  await assert.rejects(start({ binary: "/missing/understudy" }), /^Error: there is no program "\/missing\/understudy" \(the option binary\)/);
});

// Each place is taken before the one ahead of it here.
test("where the program is found", async (t) => {
  const binary = process.env["UNDERSTUDY_BINARY"] ?? "";
  const folder = mkdtempSync(join(tmpdir(), "found-"));
  const bundle = join(built, "node_modules", `understudy-testing-${process.platform}-${process.arch}`);
  t.after(() => [folder, join(built, "node_modules")].forEach((made) => rmSync(made, { recursive: true })));
  symlinkSync(binary, join(folder, "understudy"));
  const started = async (env: Record<string, string>) => {
    const script = 'import { start } from "./src/index.js"; console.log((await start()).program)';
    const child = spawn(execPath, ["--input-type=module", "-e", script], { cwd: built, env, stdio: ["ignore", "pipe", "inherit"] });
    return String(await once(child.stdout, "data")).trim();
  };
  assert.equal(await started({ PATH: folder }), "the PATH: understudy");
  assert.equal(await started({ PATH: folder, UNDERSTUDY_BINARY: binary }), `UNDERSTUDY_BINARY: ${binary}`);
  mkdirSync(bundle, { recursive: true });
  writeFileSync(join(bundle, "index.js"), `exports.binary = ${JSON.stringify(join(folder, "understudy"))};`);
  writeFileSync(join(bundle, "package.json"), "{}");
  assert.equal(await started({ UNDERSTUDY_BINARY: binary }), `bundled: ${join(folder, "understudy")}`);
});

test("a start that fails", async () => {
  await assert.rejects(start({ args: ["--seed", "many"] }), /understudy \(.*: .*\) ended with exit code 2:\n[^]*seed/);
});

test("a token, and a stop", async () => {
  const understudy = await start({ controlToken: "made-up-token-for-tests" });
  await assert.rejects(connect(understudy.url, { controlToken: "another-token" }), { name: "ControlError", status: 401 });
  const world = await understudy.world();
  await world.delete();
  await world.delete();
  await understudy.stop();
  await understudy.stop();
  await assert.rejects(connect(understudy.url), { name: "ControlError", status: 0, message: new RegExp(`^no emulator answers at ${understudy.url}: .*ECONNREFUSED`) });
});

test("a key prefix", async () => {
  await using understudy = await start({ args: ["--key-prefix", "acme"] });
  await using world = await understudy.world("mine");
  assert.match(world.key, /^acme_sk_test_[0-9a-f]{16}_mine$/);
  assert.equal((await fetch(`${world.url}/verification-requests/vr_completed`, { headers: { Authorization: `Bearer ${world.key}` } })).status, 200);
});

test("a control plane with an address of its own", async () => {
  await using understudy = await start({ args: ["--control-addr=127.0.0.1:0"] });
  await using world = await understudy.world();
  assert.equal((await fetch(`${world.url}/verification-requests/vr_completed`, { headers: { Authorization: `Bearer ${world.key}` } })).status, 200);
  assert.equal((await world.journal()).length, 1);
  await assert.rejects(connect(understudy.url), { message: `${understudy.url} is not an emulator: it answers 404, unless its control plane has an address of its own` });
});

test("what the specification requires", async () => {
  for (const [strict, status] of [[undefined, 400], ["off", 200], ["version", 200]] as const) {
    await using understudy = await start(strict === undefined ? {} : { strict });
    await using world = await understudy.world();
    const answer = await fetch(`${world.url}/verification-requests/vr_completed?feilds=id`, { headers: { Authorization: `Bearer ${world.key}`, Accept: "application/json; version=2019-10-15" } });
    assert.equal(answer.status, status, strict);
  }
});

test("settings of all worlds", async () => {
  await using understudy = await start({ grease: "values", sessionFlow: "manual", account: { types: ["employment"] } });
  await using world = await understudy.world();
  assert.deepEqual(await world.settings(), { grease: "values", session_flow: "manual", account: { types: ["employment"] } });
});

test("webhooks of all worlds", async () => {
  await using understudy = await start({ webhook: ["http://127.0.0.1:9/a", "http://127.0.0.1:9/b"] });
  await using world = await understudy.world();
  await world.move("vr_processing", "completed");
  assert.deepEqual((await world.deliveries()).map(({ state, webhook }) => [state, webhook]), [["completed", 1], ["completed", 2]]);
});

test("no journal", async () => {
  await using understudy = await start({ args: ["--journal-size", "0"] });
  await using world = await understudy.world();
  await assert.rejects(world.verify({ operation: "getVerificationRequest" }), { name: "ControlError", status: 409, message: "The journal is off: serve with a --journal-size above 0" });
});

test("requests that reach no world", async () => {
  await using understudy = await start();
  await fetch(`${understudy.url}/nothing`);
  await fetch(`${understudy.url}/nowhere`);
  assert.deepEqual((await understudy.unmatched()).map(({ path }) => path), ["/nowhere", "/nothing"]);
  assert.equal((await understudy.unmatched(1)).length, 1);
});

test("other servers are no emulators", async (t) => {
  for (const [status, text] of [[200, "<html>"], [200, '{"items":[]}'], [200, "null"], [404, "nothing"], [500, "<html>"]] as const) {
    const other = createServer((_, answer) => answer.writeHead(status).end(text)).listen(0, "127.0.0.1");
    t.after(() => other.close());
    await once(other, "listening");
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    await assert.rejects(connect(url), { name: "ControlError", message: new RegExp(`^${url} is not an emulator: `) });
  }
});

test("variables of the environment are not used", async (t) => {
  const given = { UNDERSTUDY_STORE: "file:/missing/folder/store.db", UNDERSTUDY_SEED: "many", UNDERSTUDY_KEY_PREFIX: "acme" };
  Object.assign(process.env, given);
  t.after(() => Object.keys(given).forEach((name) => delete process.env[name]));
  await using understudy = await start();
  await using world = await understudy.world();
  assert.match(world.key, /^svc_/);
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

// Ends the process of some tests in each way.
for (const [how, code, signal] of [
  ["at its exit", "", undefined],
  ["by an uncaught error", 'setTimeout(() => { throw new Error("uncaught") })', undefined],
  ["by process.abort", "setTimeout(() => process.abort(), 100)", undefined],
  ...(["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const).map((signal) => [`by ${signal}`, "setInterval(() => {}, 1000)", signal] as const),
  ["by SIGTERM to its group", "setInterval(() => {}, 1000)", "group"],
] as const) {
  test(`an emulator ends with the process of the tests, ${how}`, { timeout: 60_000 }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "ends-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const script = `import { start } from "./src/index.js"; console.log((await start()).url); ${code}`;
    const options = { cwd: built, detached: true, env: { ...process.env, TMPDIR: folder } };
    const child = spawn(execPath, ["--input-type=module", "-e", script], { ...options, stdio: ["ignore", "pipe", "ignore"] });
    const ended = once(child, "exit");
    const [url] = await once(child.stdout, "data");
    if (signal === "group") process.kill(-(child.pid ?? 0), "SIGTERM");
    else if (signal) child.kill(signal);
    await ended;
    const since = Date.now();
    while (await connect(String(url).trim()).then(() => true, () => false));
    while (readdirSync(folder).length > 0) assert.ok(Date.now() - since < 10_000, `left: ${readdirSync(folder)}`);
    t.diagnostic(`gone after ${Date.now() - since} ms`);
  });
}
