// Walks over the whole catalogue through a validating proxy (Prism) that knows only the document: the proxy must find
// nothing. Then a second proxy must find each of some planted violations. Arguments: the emulator's URL, the proxy's URL, and the
// file with `understudy scenarios list --json`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const [emulator, proxy, catalogue] = process.argv.slice(2);
const json = (method, body) => ({ method, body: JSON.stringify(body) });
const request = (id) => "/verification-requests/" + id;
const session = (ssn) => json("POST", {
  permissible_purpose: "credit-application", type: "employment-income", use_case: "mortgage",
  target: { first_name: "Ada", last_name: "Example", social_security_number: ssn },
});
// calls are the calls for a magic value, by its kind.
const calls = {
  verification_request: (id) => [
    [request(id)], [request(id)], [request(id) + "?income_analytics=true"],
    [request(id) + "/cancel", json("PUT", { cancellation_reason: "other" })],
  ],
  tenant_property: (id) => [["/tenant-properties/" + id, json("PUT", { name: "Quay", city: null })]],
  qualification_check: (id) => [["/qualification-checks/" + id]],
  ssn: (ssn) => [["/credentials/session", session(ssn)]],
};

async function ask(base, [path, init], key) {
  // Without close a connection may be reused just when the proxy ends it.
  const headers = { Authorization: "Bearer svc_sk_test_" + key, "Content-Type": "application/json", Connection: "close" };
  const answer = await fetch(base + path, { ...init, headers, signal: AbortSignal.timeout(120_000) });
  return { status: answer.status, violations: answer.headers.get("sl-violations"), body: await answer.text() };
}

// isAnswer reports whether the emulator answers with HTTP and JSON at all: some scenarios break the connection.
async function isAnswer(call) {
  try {
    JSON.parse((await ask(emulator, call, "direct")).body);
    return true;
  } catch {
    return false;
  }
}

let answers = 0;
const broken = new Set();
async function walk(kind, value) {
  for (const call of calls[kind](value)) {
    if (!(await isAnswer(call))) {
      broken.add(value);
      return;
    }
    const { status, violations } = await ask(proxy, call, "proxied");
    assert.equal(violations, null, `${call[0]} (${status}): ${violations}`);
    answers++;
  }
}

const scenarios = JSON.parse(await readFile(catalogue, "utf8"));
// What proxies and a tired service send is outside the document by design.
const documented = scenarios.filter((s) => !/^(outage|limited|wrong)-/.test(s.name));
const magic = documented.flatMap((s) => Object.entries(s.magic));
await Promise.all(magic.map(([kind, value]) => walk(kind, value)));
assert.deepEqual([...broken].sort(), ["vr_fault_empty", "vr_fault_malformed", "vr_fault_reset", "vr_fault_truncated"]);
console.log(`fine: the proxy finds nothing in ${answers} answers about ${magic.length} magic values`);

const read = [request("vr_completed")], check = ["/qualification-checks/qc_qualified"];
const completed = JSON.parse((await ask(emulator, read, "direct")).body);
const qualified = JSON.parse((await ask(emulator, check, "direct")).body);
const report = (change) => ({ ...completed, reports: [{ ...completed.reports[0], ...change }] });
let planted;
const upstream = createServer((_, answer) => {
  answer.setHeader("Content-Type", "application/json");
  answer.end(JSON.stringify(planted));
}).listen(0, "127.0.0.1");
await once(upstream, "listening");
const address = `http://127.0.0.1:${upstream.address().port}`;
const second = spawn("prism", ["proxy", "openapi.yaml", address, "--errors", "-h", "127.0.0.1", "-p", "0"], { stdio: ["ignore", "pipe", "inherit"] });
process.on("exit", () => second.kill());
const proxyOfPlanted = await new Promise((found) => {
  createInterface({ input: second.stdout }).on("line", (line) => line.includes("listening on ") && found(/http:[^ ]*[0-9]/.exec(line)[0]));
});
for (const [call, body, found] of [
  [read, completed, false],
  [read, { id: "x", state: "completed" }, true],
  [read, { ...completed, cancellation_reason: "nonsense" }, true],
  [read, { ...completed, price: { amount: "1.00", currency: "EUR" } }, true],
  [read, report({ pricing_tier: "nonsense" }), true],
  [read, report({ paid_through_date: "nonsense" }), true],
  [read, { ...completed, nonsense: 1 }, true],
  [check, { ...qualified, result: { ...qualified.result, monthly_gross_income_fidelity: "nonsense" } }, true],
]) {
  planted = body;
  const { violations } = await ask(proxyOfPlanted, call, "planted");
  assert.equal(violations !== null, found, `${JSON.stringify(body).slice(0, 200)}: ${violations}`);
}
console.log("fine: the proxy finds what is planted");
process.exit();
