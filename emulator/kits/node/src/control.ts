/** A call that the control plane refuses. */
export class ControlError extends Error {
  override name = "ControlError";

  /** `document` is the whole answer, as far as it is JSON. */
  constructor(readonly status: number, message: string, readonly document?: unknown) {
    super(message);
  }
}

/** Text is in the language of scenario files; an object is sent as JSON. */
export type Body = string | object;

/** The control plane of an emulator: of its server, or of the world of a key. */
export class Control {
  constructor(readonly url: string, readonly token?: string, readonly key?: string) {}

  async send(method: string, path: string, body?: string, type = "application/json"): Promise<string> {
    const headers: Record<string, string> = {};
    if (this.token) headers["Understudy-Control-Token"] = this.token;
    if (this.key) headers["Authorization"] = `Bearer ${this.key}`;
    if (body !== undefined) headers["Content-Type"] = type;
    const answer = await fetch(`${this.url}/_understudy/v1/${path}`, { method, headers, body: body ?? null }).catch((error: Error) => {
      throw new Error(`understudy does not answer at ${this.url}: ${reason(error)}`);
    });
    const text = await answer.text();
    if (!answer.ok) throw refused(answer.status, text);
    return text;
  }

  async call<T>(method: string, path: string, body?: Body): Promise<T> {
    const text = typeof body === "string"
      ? await this.send(method, path, body, "application/yaml")
      : await this.send(method, path, body && JSON.stringify(body));
    return (text ? JSON.parse(text) : undefined) as T;
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
}

function reason(error: Error): string {
  return error.cause instanceof Error ? error.cause.message || String((error.cause as NodeJS.ErrnoException).code) : error.message;
}

function refused(status: number, text: string): ControlError {
  try {
    const document = JSON.parse(text) as { error: { message: string } };
    return new ControlError(status, `${status} ${document.error.message}`, document);
  } catch {
    return new ControlError(status, `${status} ${text}`);
  }
}
