import { AssertionError } from "node:assert";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Span } from "./control.js";
import type { Webhook } from "./openapi.js";

/** An event, as a webhook is told it. */
export interface Event {
  version?: string;
  /** `id` is that of the subscription. */
  hook: { id: number | string; event: Webhook["events"][number]; target: string; triggered_at?: string };
  data: { verification_request_id: string; state: string; credentials_session_token: string | null; [name: string]: unknown };
}

/** What the next event has. */
export interface Wanted {
  /** Such as `verification_request.state.change`. */
  event?: string;
  /** Such as `completed`. */
  state?: string;
  /** Moves the world's clock on by a span first. */
  advance?: Span;
  /** Seconds of real time to wait; 10 unless set. */
  within?: number;
}

/** A webhook of a world on a free loopback port. It answers 204 to every event, and ends with the world. */
export class Receiver {
  /** All events so far, in the order in which they came. */
  readonly events: Event[] = [];
  private readonly taken = new Set<Event>();
  private came = () => {};

  private constructor(private readonly server: Server, private readonly advance: (by: Span) => Promise<void>) {}

  static async listen(advance: (by: Span) => Promise<void>): Promise<Receiver> {
    const server = createServer((request, answer) => {
      let text = "";
      request.setEncoding("utf8").on("data", (piece: string) => (text += piece)).on("end", () => {
        receiver.events.push(JSON.parse(text) as Event);
        answer.writeHead(204).end();
        receiver.came();
      });
    });
    const receiver = new Receiver(server, advance);
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
    server.unref();
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** Returns the first event that no call has returned yet, of those that are wanted. It waits until there is one. */
  async next({ event, state, advance, within = 10 }: Wanted = {}): Promise<Event> {
    if (advance !== undefined) await this.advance(advance);
    const end = Date.now() + within * 1000;
    for (;;) {
      const found = this.events.find((e) => !this.taken.has(e) && (event ?? e.hook.event) === e.hook.event && (state ?? e.data.state) === e.data.state);
      if (found) {
        this.taken.add(found);
        return found;
      }
      const left = end - Date.now();
      if (left <= 0) {
        const all = this.events.map((e) => `${e.hook.event} ${e.data.state}`).join(", ") || "no event";
        throw new AssertionError({ message: `no ${[event, state].filter(Boolean).join(" ") || "event"} came within ${within} s: ${all} came`, stackStartFn: this.next });
      }
      await new Promise<void>((resolve) => {
        const limit = setTimeout(resolve, left);
        this.came = () => (clearTimeout(limit), resolve());
      });
    }
  }

  /** Closes the port. */
  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
