import { ControlError, type Control } from "./control.js";
import type { JournalEntry, JournalRequest } from "./openapi.js";
import type { World } from "./world.js";

/** The context of a test of node:test. */
export interface NodeTest {
  readonly name: string;
  readonly passed?: boolean; // older @types/node do not declare it
  after(end: () => Promise<void>): void;
}

/** The context of a test of vitest. */
export interface VitestTest {
  readonly task: { readonly name: string; readonly result?: { readonly state: string } | undefined };
  onTestFinished(end: () => Promise<void>): void;
}

/** What a world is for: the context of a test, or a name. */
export type Test = NodeTest | VitestTest | string;

export function nameOf(test: Test = "test"): string {
  if (typeof test === "string") return test;
  return "task" in test ? test.task.name : test.name;
}

/** Deletes the world when the test ends. The requests of a failed test are printed first. */
export function atEnd(test: Exclude<Test, string>, world: World, control: Control): void {
  const began = new Date().toISOString();
  const end = async () => {
    const failed = "task" in test ? test.task.result?.state === "fail" : test.passed === false;
    try {
      if (failed) {
        await print(`the requests of ${nameOf(test)}`, control, "journal");
        await print(`the requests that reached no world while ${nameOf(test)} ran`, control, "unmatched-requests", { since: began });
      }
    } catch (error) {
      if (!(error instanceof ControlError)) throw error; // the journal is off, or the emulator is gone
    } finally {
      await world.delete();
    }
  };
  "task" in test ? test.onTestFinished(end) : test.after(end);
}

const maxPrinted = 50; // requests of a failed test: the last
const maxBody = 1024; // characters of a printed body

async function print(what: string, control: Control, journal: string, query?: Record<string, string>): Promise<void> {
  const latest = await control.list<JournalRequest>(journal, query, maxPrinted);
  if (latest.length === 0) return;
  const entries = await Promise.all(latest.reverse().map((r) => control.call<JournalEntry>("GET", `${journal}/${r.id}`)));
  console.error(`understudy: ${what}:\n${entries.map(written).join("\n")}`);
}

/** A request in a line, its diagnosis, and the bodies of a failed one. */
function written(e: JournalEntry): string {
  const fault = e.fault ? ` (${e.fault})` : "";
  const query = e.query ? `?${e.query}` : "";
  const scenario = e.scenario ? `  [${e.scenario}]` : "";
  const lines = [`${String(e.sequence).padStart(4)}  ${e.time}  ${e.status || "---"}${fault} ${e.method} ${e.path}${query}${scenario}`];
  lines.push(...e.diagnosis.map((note) => `- ${note}`));
  if (e.status === 0 || e.status >= 400) {
    if (e.request) lines.push(`> ${excerpt(e.request)}`);
    if (e.response) lines.push(`< ${excerpt(e.response)}`);
  }
  return lines.join("\n      ");
}

function excerpt(body: NonNullable<JournalEntry["request"]>): string {
  const text = body.text ?? JSON.stringify(body.json);
  return text.length > maxBody ? `${text.slice(0, maxBody)}...` : text;
}
