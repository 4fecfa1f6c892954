// Does the five operations and ten calls of the control plane with openapi-fetch and the types of openapi-typescript, at
// the address in UNDERSTUDY_URL. quicktype's reader checks one answer at run time.
import assert from "node:assert/strict";
import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "./openapi.js";
import { Convert } from "./quicktype.js";

const client = createClient<paths>({
  baseUrl: process.env["UNDERSTUDY_URL"] ?? "",
  headers: { Authorization: "Bearer svc_sk_test_typescript" },
});
const unchanged: Middleware = {
  onResponse({ response, request }) {
    const violations = response.headers.get("sl-violations"); // of a validating proxy
    assert.equal(violations, null, `${request.method} ${request.url}: ${violations}`);
  },
};
client.use(unchanged);

async function ok<T>(answer: Promise<{ data?: T; error?: unknown; response: Response }>, status: number): Promise<T> {
  const { data, error, response } = await answer;
  assert.equal(response.status, status, `${response.url}: ${JSON.stringify(error)}`);
  return data as T;
}

// ten calls of the control plane
const world = await ok(client.POST("/_understudy/v1/reset"), 200);
assert.equal(world.clock.now, "2025-01-15T09:00:00Z");
const clock = await ok(client.PUT("/_understudy/v1/clock", { body: { now: "2025-01-16T09:00:00Z", frozen: true } }), 200);
assert.deepEqual(clock, { now: "2025-01-16T09:00:00Z", frozen: true, deliveries: { sent: 0, failed: 0, due: 0 } });
await ok(client.POST("/_understudy/v1/clock/advance", { body: { by: "36h" } }), 200);
const created = await ok(client.POST("/_understudy/v1/verification-requests", { body: { id: "vr_mine", scenario: "completed", state: "completed" } }), 201);
assert.equal(created.timeline[0]?.after, null);
const path = { id: "vr_mine" };
await ok(client.PATCH("/_understudy/v1/verification-requests/{id}", { params: { path }, body: { set: { loan_id: "7" } } }), 200);
const fault = await ok(client.POST("/_understudy/v1/faults", { body: { rule: { on: "update", respond: { status: 500 }, times: 1 }, expires_in: "10m" } }), 201);
assert.equal(fault.remaining, 1);
const resolution = await ok(client.POST("/_understudy/v1/scenarios/resolve", { body: { method: "GET", path: "/qualification-checks/qc_qualified" } }), 200);
assert.equal(resolution.status, 200);
const scenarios = await ok(client.GET("/_understudy/v1/scenarios", { params: { query: { limit: 3 } } }), 200);
assert.equal(scenarios.items.length, 3);

// the five operations
const request = await ok(client.GET("/verification-requests/{verification_request_id}", {
  params: { path: { verification_request_id: "vr_mine" }, query: { income_analytics: true } },
}), 200);
assert.equal(request.loan_id, "7");
const reason: components["schemas"]["ReturnedCancellationReason"] = request.cancellation_reason;
assert.equal(reason, null);
const id: string = request.id;
assert.equal(id, "vr_mine");
const report: components["schemas"]["Report"] | undefined = request.reports?.[0];
assert.equal(report?.employee.status, "active");
assert.equal(Convert.toVerificationRequest(JSON.stringify(request)).id, "vr_mine");

const canceled = await ok(client.PUT("/verification-requests/{verification_request_id}/cancel", {
  params: { path: { verification_request_id: "vr_processing" } }, body: { cancellation_reason: "competitor", cancellation_details: null },
}), 200);
assert.equal(canceled.cancellation_reason, "competitor");

const property = { params: { path: { tenant_property_id: "tp_default" } }, body: { name: "Quay", city: null } };
const refused = await client.PUT("/tenant-properties/{tenant_property_id}", property); // by the fault
assert.equal(refused.response.status, 500);
assert.equal(refused.error?.error.message, "Internal server error");
assert.equal((await ok(client.PUT("/tenant-properties/{tenant_property_id}", property), 200)).city, null);

const session = await ok(client.POST("/credentials/session", {
  body: { // without metadata, which has no default in the types
    permissible_purpose: "credit-application", type: "employment-income", use_case: "mortgage",
    target: { first_name: "Ada", last_name: "Example", social_security_number: "000-00-0000", company: { name: "Harbour" }, date_of_birth: null },
  },
}), 201);
assert.ok(session.token);
const check = await ok(client.GET("/qualification-checks/{qualification_check_result_id}", {
  params: { path: { qualification_check_result_id: "qc_qualified" } },
}), 200);
assert.equal(check.result.outcome, "qualified");

// what the journal has of them
const journal = await ok(client.GET("/_understudy/v1/journal", { params: { query: { status: "2xx" } } }), 200);
assert.equal(journal.items.length, 5);
const verified = await ok(client.POST("/_understudy/v1/journal/verify", {
  body: { operation: "cancelVerificationRequest", match: { body: { contains: { cancellation_reason: "competitor" } } }, times: { exactly: 1 } },
}), 200);
assert.equal(verified.count, 1);
console.log("fine: the TypeScript client");
