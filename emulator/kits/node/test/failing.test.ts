import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const kit = fileURLToPath(new URL("../..", import.meta.url));

/** Runs failing tests, and returns what they print. */
function failing(...command: string[]): string {
  const env = { ...process.env, NO_COLOR: "1", NODE_TEST_CONTEXT: undefined };
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: kit, env, encoding: "utf8", timeout: 60_000 });
  assert.equal(status, 1, stdout + stderr);
  return stderr + stdout;
}

test("a failed test of node:test prints its requests", () => {
  const printed = failing("built/test/failing/node.js");
  assert.ok(printed.includes(`understudy: the requests of fails:
   1  2025-01-15T09:00:00Z  200 GET /verification-requests/vr_completed?fields=state  [completed]
   2  2025-01-15T09:00:00Z  400 GET /verification-requests/vr_completd
      - no verification request is "vr_completd": did you mean vr_completed?
      < {"error":{"message":"Verification not found"}}
   3  2025-01-15T09:00:00Z  --- (empty) GET /verification-requests/vr_processing  [fault-1]
      - scenario fault-1 has the fault empty, by its rule at fault-1:1:1
`), printed);
  assert.match(printed, /the requests that reached no world while fails ran:\n.* 404 GET \/v1\/verification-requests\/vr_completed\n      - no operation has this path/);
  assert.ok(!printed.includes("the requests of passes"), printed);
});

test("a failed test of vitest prints its requests", () => {
  const printed = failing("node_modules/vitest/vitest.mjs", "run", "--dir", "test/failing");
  assert.match(printed, /understudy: the requests of fails:\n   1  2025-01-15T09:00:00Z  400 GET \/verification-requests\/vr_completd\n      - no verification request is "vr_completd"/);
  assert.ok(!printed.includes("the requests of passes"), printed);
});
