import { AssertionError } from "node:assert";
import { ControlError, type Body, type Control } from "./control.js";
import type {
  Clock, Expectation, Fault, InspectedQualificationCheck, JournalEntry, JournalRequest, NewFault, NewQualificationCheck,
  NewTenantProperty, NewVerification, SessionView, State, TenantProperty, VerificationChange, VerificationSummary, VerificationView,
} from "./openapi.js";

/** A rule, as in scenario files: `{ on: "get", respond: { status: 500 }, times: 2 }`. */
export type Rule = NonNullable<NewFault["rule"]>;

export interface FaultOptions {
  /** The id that requests must be for. */
  resource?: string;
  /** A span of the world's clock, such as `10m`. */
  lasting?: string;
}

/** What selects requests of the journal. */
export interface JournalFilter {
  /** Such as `getVerificationRequest`. */
  operation?: string;
  /** Such as `404`, `4xx`, or 0 for a connection that was broken off. */
  status?: string | number;
  /** `*` stands for what is between two slashes. */
  path?: string;
  /** Words that the request or its answer has. */
  q?: string;
  /** An instant of the world's clock, or the id of a request. */
  since?: string;
}

/**
 * The world of a test: the resources, clock, faults and journal of one API key. Its methods are calls of the control plane,
 * which is their reference. What the control plane refuses is a {@link ControlError}. Texts are in the language of scenario
 * files. `await using` deletes the world at the end of a block.
 */
export class World {
  /** The base URL of the emulated API. */
  readonly url: string;

  /** Made by `world` of a server. `key` is the API key of the world. */
  constructor(private readonly control: Control, readonly key: string, private readonly id: string) {
    this.url = control.url;
  }

  /** Returns the world's instant. */
  async now(): Promise<Date> {
    return new Date((await this.control.call<Clock>("GET", "clock")).now);
  }

  /** Sets the clock to an instant, which must not be before its present one. */
  async setClock(now: Date | string): Promise<void> {
    await this.control.call("PUT", "clock", { now });
  }

  /** Moves the clock on by a span such as `36h`, `1h30m` or `250ms`. */
  async advance(by: string): Promise<void> {
    await this.control.call("POST", "clock/advance", { by });
  }

  /** Stops the clock, as it is from the start. */
  async freeze(): Promise<void> {
    await this.control.call("PUT", "clock", { frozen: true });
  }

  /** Lets the clock run on with the machine's. */
  async unfreeze(): Promise<void> {
    await this.control.call("PUT", "clock", { frozen: false });
  }

  /** Evaluates a rule, or the preset with a name such as `outage-502`, for every request from now on, before all other rules. */
  addFault(rule: Rule | string, { resource, lasting }: FaultOptions = {}): Promise<Fault> {
    const what = typeof rule === "string" ? { preset: rule } : { rule };
    return this.control.call("POST", "faults", { ...what, resource, expires_in: lasting });
  }

  /** Returns the active faults, in the order in which they were added. */
  faults(): Promise<Fault[]> {
    return this.control.list("faults");
  }

  removeFault(id: string): Promise<void> {
    return this.control.call("DELETE", `faults/${encodeURIComponent(id)}`);
  }

  removeFaults(): Promise<void> {
    return this.control.call("DELETE", "faults");
  }

  /** Returns the requests that a filter selects, the latest first. */
  journal(filter: JournalFilter = {}): Promise<JournalRequest[]> {
    return this.control.list("journal", Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)])));
  }

  /** Returns a request of the journal with its header, its body and its answer. */
  journalEntry(id: string): Promise<JournalEntry> {
    return this.control.call("GET", `journal/${encodeURIComponent(id)}`);
  }

  /** Throws an AssertionError, which describes the nearest requests, unless a request came as often as expected. */
  async verify(expectation: Expectation): Promise<void> {
    try {
      await this.control.call("POST", "journal/verify", expectation);
    } catch (error) {
      if (!(error instanceof ControlError) || !isUnmet(error.document)) throw error;
      throw new AssertionError({ message: error.document.error.message, stackStartFn: this.verify });
    }
  }

  /** Returns the whole world as one JSON document. */
  snapshot(): Promise<string> {
    return this.control.send("GET", "snapshot");
  }

  /** Makes the world what a snapshot says. */
  async restore(snapshot: string): Promise<void> {
    await this.control.send("PUT", "snapshot", snapshot);
  }

  /** Makes the world as new: resources, clock, faults, counters, journal and its scenarios. */
  async reset(): Promise<void> {
    await this.control.call("POST", "reset");
  }

  /** Deletes the world, as if its key had never been used. */
  delete(): Promise<void> {
    return this.control.call("DELETE", `worlds/${this.id}`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.delete();
  }

  /** Creates a verification request from a scenario, fields, or both: `{ scenario: "lifecycle-timed", id: "vr_mine" }`. */
  createVerificationRequest(request: NewVerification | string): Promise<VerificationView> {
    return this.control.call("POST", "verification-requests", request);
  }

  /** Sets fields of a verification request, such as `{ set: { loan_id: "7" } }`, puts it into a state, or both. */
  changeVerificationRequest(id: string, change: VerificationChange | string): Promise<VerificationView> {
    return this.control.call("PATCH", verificationRequest(id), change);
  }

  /** Returns a verification request with its timeline and rules. Unlike a read by the emulated API it changes nothing. */
  verificationRequest(id: string): Promise<VerificationView> {
    return this.control.call("GET", verificationRequest(id));
  }

  /** Returns the stored verification requests: the created ones, and the magic ones that moved. */
  verificationRequests(): Promise<VerificationSummary[]> {
    return this.control.list("verification-requests");
  }

  /** Puts a verification request into a state that the specification lets it reach. */
  move(id: string, state: State): Promise<VerificationView> {
    return this.changeVerificationRequest(id, { state });
  }

  /** Puts a verification request into a state, whatever the specification allows. */
  force(id: string, state: State): Promise<VerificationView> {
    return this.changeVerificationRequest(id, { state, force: true });
  }

  /** Deletes a stored verification request. A magic one is as new then; any other no longer exists. */
  deleteVerificationRequest(id: string): Promise<void> {
    return this.control.call("DELETE", verificationRequest(id));
  }

  /** Creates a tenant property: `{ tenant_property: { set: { name: "Quay" } } }`. */
  createTenantProperty(property: NewTenantProperty | string): Promise<TenantProperty> {
    return this.control.call("POST", "tenant-properties", property);
  }

  tenantProperty(id: string): Promise<TenantProperty> {
    return this.control.call("GET", `tenant-properties/${encodeURIComponent(id)}`);
  }

  /** Creates a qualification check, whose result is computed: `{ qualification_check: { rent: 1450 } }`. */
  createQualificationCheck(check: NewQualificationCheck | string): Promise<InspectedQualificationCheck> {
    return this.control.call("POST", "qualification-checks", check);
  }

  /** Returns a credentials session with the id of its verification request. */
  credentialsSession(id: string): Promise<SessionView> {
    return this.control.call("GET", `credentials-sessions/${encodeURIComponent(id)}`);
  }

  /** Stores a scenario of the world, in place of an earlier one with the name. */
  async putScenario(name: string, file: Body): Promise<void> {
    await this.control.call("PUT", `scenarios/${encodeURIComponent(name)}`, file);
  }
}

function verificationRequest(id: string): string {
  return `verification-requests/${encodeURIComponent(id)}`;
}

/** Reports whether the answer is that of an expectation that does not hold. */
function isUnmet(document: unknown): document is { error: { message: string }; count: number } {
  return typeof document === "object" && document !== null && "count" in document;
}
