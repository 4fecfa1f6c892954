import { AssertionError } from "node:assert";
import { setTimeout as sleep } from "node:timers/promises";
import { ControlError, span, type Body, type Control, type Span } from "./control.js";
import type {
  Clock, Delivery, Expectation, Fault, InspectedQualificationCheck, JournalEntry, JournalRequest, NewFault, NewQualificationCheck,
  NewTenantProperty, NewVerification, NewWebhook, SessionEnd, SessionView as CredentialsSession, Settings, SettingsChange, State, TenantProperty,
  VerificationChange, VerificationSummary, VerificationView, Webhook,
} from "./openapi.js";
import { Receiver } from "./receiver.js";

/** A rule, as in scenario files, its text, or the name of a preset: `{ on: "get", respond: { status: 500 }, times: 2 }`. */
export type Rule = NewFault["rule"];

export interface FaultOptions {
  /** The id that requests must be for. */
  resource?: string;
  /** A span of the world's clock, such as `10m`. */
  lasting?: Span;
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
  since?: Date | string;
  /** How many requests at most, the latest. */
  limit?: number;
}

const lookEvery = 20; // ms, of waitFor

/**
 * The world of a test: the resources, clock, faults and journal of one API key. Its methods are calls of the control plane,
 * which is their reference. A call that fails is a {@link ControlError}. What a call takes is an object, or a text in YAML or
 * JSON. `await using` deletes the world at the end of a block.
 */
export class World {
  private readonly receivers: Receiver[] = [];

  /** Made by `world` of a server. `url` is the base URL of the emulated API, `key` the API key of the world. */
  constructor(readonly url: string, private readonly control: Control, readonly key: string, private readonly id: string) {}

  /** Returns the world's instant. */
  async now(): Promise<Date> {
    return new Date((await this.control.call<Clock>("GET", "clock")).now);
  }

  /** Sets the clock to an instant, which must not be before its present one. */
  async setClock(now: Date | string): Promise<void> {
    await this.control.call("PUT", "clock", { now });
  }

  /** Moves the clock on by a span: a number of seconds, or a text such as `36h`, `1h30m` or `250ms`. */
  async advance(by: Span): Promise<void> {
    await this.control.call("POST", "clock/advance", { by: span(by) });
  }

  /** Stops the clock, as it is from the start. */
  async freeze(): Promise<void> {
    await this.control.call("PUT", "clock", { frozen: true });
  }

  /** Lets the clock run on with the machine's. */
  async unfreeze(): Promise<void> {
    await this.control.call("PUT", "clock", { frozen: false });
  }

  /**
   * Waits until a verification request is in a state, at most for seconds of real time, and returns it. Where its next step
   * comes by the clock, the clock moves to that step; any other step waits for the code under test, which polls meanwhile.
   */
  async waitFor(id: string, state: State, within = 10): Promise<VerificationView> {
    await this.control.list("verification-requests", { state }, 1); // refuses what is no state
    for (const end = Date.now() + within * 1000; ; ) {
      const found = await this.verificationRequest(id);
      if (found.state === state) return found;
      const next = found.timeline.find((step) => step.place === "next");
      const stored = (await this.verificationRequests()).some((one) => one.id === id); // one that is not begins when it is asked for
      if (Date.now() >= end) {
        const why = !stored ? "no request has asked for it" : next ? `${next.state} comes ${next.after}` : "no step of its timeline follows";
        throw new AssertionError({ message: `${id} is ${found.state}, not ${state}, after ${within} s: ${why}`, stackStartFn: this.waitFor });
      }
      if (!stored || !next?.at) await sleep(lookEvery);
      else {
        await this.setClock(next.at).catch((error: ControlError) => {
          if (error.status !== 409) throw error; // the code under test has moved it further
        });
      }
    }
  }

  /** Evaluates a rule for every request from now on, before all other rules. */
  addFault(rule: Rule, { resource, lasting }: FaultOptions = {}): Promise<Fault> {
    return this.control.call("POST", "faults", { rule, resource, expires_in: lasting === undefined ? undefined : span(lasting) });
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
  journal({ limit, ...filter }: JournalFilter = {}): Promise<JournalRequest[]> {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    const text = (value: unknown) => (typeof value === "object" ? JSON.parse(JSON.stringify(value)) : String(value));
    return this.control.list("journal", Object.fromEntries(given.map(([name, value]) => [name, text(value)])), limit);
  }

  /** Returns a request of the journal with its header, its body and its answer. */
  journalEntry(id: string): Promise<JournalEntry> {
    return this.control.call("GET", `journal/${encodeURIComponent(id)}`);
  }

  /** Subscribes a URL to the events of the world: it hears what changes from now on. */
  webhook(url: string, options: Omit<NewWebhook, "url"> = {}): Promise<Webhook> {
    return this.control.call("POST", "webhooks", { url, ...options });
  }

  /** Subscribes a port of its own to the events of the world. */
  async receiver(options: Omit<NewWebhook, "url"> = {}): Promise<Receiver> {
    const receiver = await Receiver.listen((by) => this.advance(by));
    this.receivers.push(receiver);
    await this.webhook(receiver.url, options);
    return receiver;
  }

  /** Returns the deliveries to the webhooks of the world, in the order of their events. */
  deliveries(filter: { status?: Delivery["status"] } = {}): Promise<Delivery[]> {
    return this.control.list("deliveries", { ...filter });
  }

  /** Throws an AssertionError, which describes the nearest requests, unless a request came as often as expected. */
  async verify(expectation: Expectation | string): Promise<void> {
    try {
      await this.control.call("POST", "journal/verify", expectation);
    } catch (error) {
      if (!(error instanceof ControlError) || !isUnmet(error.document)) throw error;
      throw new AssertionError({ message: error.document.error.message, stackStartFn: this.verify });
    }
  }

  /** Returns the whole world as lines of JSON. */
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

  /** Deletes the world, as if its key had never been used. Its receivers are closed. */
  async delete(): Promise<void> {
    this.receivers.forEach((receiver) => receiver.close());
    await this.control.send("DELETE", `worlds/${this.id}`).catch((error: ControlError) => {
      if (error.status !== 404) throw error; // it is deleted
    });
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

  /** Deletes a stored verification request. A magic one starts over; any other is gone. */
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

  qualificationCheck(id: string): Promise<InspectedQualificationCheck> {
    return this.control.call("GET", `qualification-checks/${encodeURIComponent(id)}`);
  }

  /** Returns a credentials session with the id of its verification request. */
  credentialsSession(id: string): Promise<CredentialsSession> {
    return this.control.call("GET", `credentials-sessions/${encodeURIComponent(id)}`);
  }

  /** Finishes a session of `session_flow: manual`, as the person does who uses its token. */
  finishSession(id: string, outcome: SessionEnd["outcome"] = "success"): Promise<CredentialsSession> {
    return this.control.call("POST", `credentials-sessions/${encodeURIComponent(id)}/finish`, { outcome });
  }

  /** Returns the settings that hold in the world. */
  settings(): Promise<Settings> {
    return this.control.call("GET", "settings");
  }

  /** Replaces the world's own settings, such as `{ session_flow: "manual" }`. What is left out is as the server has it. */
  setSettings(settings: SettingsChange | string): Promise<Settings> {
    return this.control.call("PUT", "settings", settings);
  }

  /** Stores a scenario of the world, in place of an earlier one with the name. */
  async putScenario(name: string, file: Body): Promise<void> {
    await this.control.call("PUT", `scenarios/${encodeURIComponent(name)}`, file);
  }

  /** Deletes a scenario of the world. */
  deleteScenario(name: string): Promise<void> {
    return this.control.call("DELETE", `scenarios/${encodeURIComponent(name)}`);
  }
}

function verificationRequest(id: string): string {
  return `verification-requests/${encodeURIComponent(id)}`;
}

/** Reports whether the answer is that of an expectation that does not hold. */
function isUnmet(document: unknown): document is { error: { message: string }; count: number } {
  return typeof document === "object" && document !== null && "count" in document;
}
