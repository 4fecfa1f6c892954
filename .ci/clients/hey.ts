// Reads one resource with the client of @hey-api/openapi-ts, at the address in UNDERSTUDY_URL.
import assert from "node:assert/strict";
import { client } from "./hey/client.gen.js";
import { getVerificationRequest, setClock } from "./hey/sdk.gen.js";

client.setConfig({ baseUrl: process.env["UNDERSTUDY_URL"] ?? "", auth: "svc_sk_test_hey" });
const { data } = await getVerificationRequest({ path: { verification_request_id: "vr_completed" } });
assert.equal(data?.state, "completed");
assert.equal(data.cancellation_reason, null);
const clock = await setClock({ body: { frozen: true } });
assert.equal(clock.data?.frozen, true);
console.log("fine: the client of hey-api");
