// Writes src/openapi.ts, the types of what the kit sends and returns, from the document that `understudy openapi` prints.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const used = [
  "Account", "Clock", "Delivery", "Expectation", "Fault", "InspectedQualificationCheck", "JournalEntry", "JournalRequest", "NewFault",
  "NewQualificationCheck", "NewTenantProperty", "NewVerification", "NewWebhook", "SessionEnd", "SessionView", "Settings", "SettingsChange", "State",
  "TenantProperty", "VerificationChange", "VerificationRequest", "VerificationSummary", "VerificationView", "Webhook", "World",
];

const document = JSON.parse(execFileSync(process.env.UNDERSTUDY_BINARY || "understudy", ["openapi", "--format", "json"], { maxBuffer: 1 << 25 }));
const schemas = {};
const take = (name) => {
  if (name in schemas) return;
  schemas[name] = document.components.schemas[name];
  for (const [, referred] of JSON.stringify(schemas[name]).matchAll(/"#\/components\/schemas\/(\w+)"/g)) take(referred);
};
used.forEach(take);

const sorted = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
const types = await openapiTS(
  { openapi: document.openapi, info: document.info, paths: {}, components: { schemas: sorted } },
  { rootTypes: true, rootTypesNoSchemaPrefix: true },
);
writeFileSync(new URL("src/openapi.ts", import.meta.url), "// Written by `npm run generate`.\n" + astToString(types));
