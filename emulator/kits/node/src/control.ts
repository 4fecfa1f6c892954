import { readFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";

const callWithin = 60; // seconds
const connectWithin = 10; // of the first call

/** A call of the control plane that fails. */
export class ControlError extends Error {
  override name = "ControlError";

  /**
   * The message is the server's. `status` is that of the answer, 0 when there was none, and `document` the whole answer, if it
   * is JSON.
   */
  constructor(message: string, readonly status = 0, readonly document?: unknown) {
    super(message);
  }
}

/** Text is YAML or JSON; an object is sent as JSON, its dates as instants. */
export type Body = string | object;

/** A span of time: a number of seconds, or a text such as `36h`, `1h30m` or `250ms`. */
export type Span = number | string;

export function span(of: Span): string {
  return typeof of === "number" ? `${of.toFixed(9).replace(/\.?0+$/, "")}s` : of;
}

interface Info {
  key_prefix: string;
}

/** The control plane of an emulator: of its server, or of the world of a key. */
export class Control {
  constructor(readonly url: string, readonly token?: string, readonly key?: string) {}

  /** Returns what the emulator says of itself. It fails at once if there is none, and for any other server. */
  async info(): Promise<Info> {
    const info = await this.call<Partial<Info> & { scenarios?: number }>("GET", "info", undefined, connectWithin).catch((error: ControlError) => {
      if (error.status !== 404) throw error;
      throw new ControlError(`${this.url} is not an emulator: it answers 404, unless its control plane has an address of its own`, 404, error.document);
    });
    if (info?.scenarios === undefined) throw new ControlError(`${this.url} is not an emulator: its answer has other JSON`, 200, info);
    return { key_prefix: "svc", ...info };
  }

  async send(method: string, path: string, body?: string, type = "application/json", within = callWithin): Promise<string> {
    const headers: Record<string, string> = {};
    if (this.token) headers["Understudy-Control-Token"] = this.token;
    if (this.key) headers["Authorization"] = `Bearer ${this.key}`;
    if (body !== undefined) headers["Content-Type"] = type;
    const answer = await request(`${this.url}/_understudy/v1/${path}`, method, headers, body, within).catch((error: NodeJS.ErrnoException) => {
      throw new ControlError(`no emulator answers at ${this.url}: ${error.message || error.code}`);
    });
    if (answer.status < 200 || answer.status > 299) throw this.refused(answer);
    return answer.text;
  }

  async call<T>(method: string, path: string, body?: Body, within?: number): Promise<T> {
    const text = typeof body === "string"
      ? await this.send(method, path, body, "application/yaml", within)
      : await this.send(method, path, body && JSON.stringify(body), undefined, within);
    try {
      return (text ? JSON.parse(text) : undefined) as T;
    } catch {
      throw new ControlError(`${this.url} is not an emulator: its answer is not JSON`);
    }
  }

  /** Returns the items of all pages of a list, or the first ones up to a limit. */
  async list<T>(path: string, query: Record<string, string> = {}, limit = Infinity): Promise<T[]> {
    const items: T[] = [];
    for (let after: string | null = ""; after !== null && items.length < limit; ) {
      const page = new URLSearchParams({ ...query, limit: String(Math.min(limit - items.length, 1000)), ...(after && { after }) });
      const got: { items: T[]; next: string | null } = await this.call("GET", `${path}?${page}`);
      items.push(...got.items);
      after = got.next;
    }
    return items;
  }

  /** Returns the error of an answer. One without a message comes from another program, such as a proxy. */
  private refused({ status, reason, text }: Answer): ControlError {
    try {
      const document = JSON.parse(text) as { error: { message: string } };
      return new ControlError(document.error.message, status, document);
    } catch {
      return new ControlError(`${this.url} is not an emulator: it answers ${status} ${reason}`, status);
    }
  }
}

interface Answer {
  status: number;
  reason: string;
  text: string;
}

/** Sends a request on a connection of its own. UNDERSTUDY_CA names a file with the authority of the emulator's certificate. */
function request(url: string, method: string, headers: Record<string, string>, body: string | undefined, within: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const authority = process.env["UNDERSTUDY_CA"];
    const options = { method, headers, agent: false as const, ...(authority && { ca: readFileSync(authority) }) };
    const sent = (url.startsWith("https:") ? https : http).request(url, options, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece: string) => (text += piece)).on("error", reject);
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, reason: answer.statusMessage ?? "", text }));
    });
    const limit = setTimeout(() => sent.destroy(new Error(`it does not answer within ${within} s`)), within * 1000);
    sent.on("error", reject).on("close", () => clearTimeout(limit)).end(body);
  });
}
