// Finds out what an applicant earns. It is an example of a program that uses the verification API; its tests show how such
// a program is tested. Spans are milliseconds.
import type { RequestListener } from "node:http";

const retries = 3; // of one call
const retryAfter = 2000; // ms, where an answer does not say
const longest = 10_000; // ms that an answer or a retry is waited for
const expireIn = 30 * 24 * 60 * 60 * 1000; // what was true a month ago counts no more

export class Unavailable extends Error {
  override message = "the applicant has frozen their data";
}
export class Expired extends Error {
  override message = "the data is too old: order a new verification";
}
export class GaveUp extends Error {
  override message = "the service does not answer";
}
export class Pending extends Error {
  override message = "the verification has not ended";
}
export class Canceled extends Error {
  override message = "the verification ended without a report";
}

/** What the latest report says of a person. */
export interface Income {
  employer: string;
  grossPay: string;
  asOf: string; // YYYY-MM-DD
}

/** Asks the API at a base URL with a key, and hears its webhook, which has a token. */
export class Verifier {
  private readonly ended = new Map<string, string>(); // verification requests, by the tokens of their sessions

  constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly secret: string,
    private readonly wait: (span: number) => Promise<void>,
    private readonly now: () => Promise<Date>,
  ) {}

  /** Begins the verification of an applicant, and returns the token that the applicant's browser uses. */
  async begin(applicant: object): Promise<string> {
    const order = { type: "employment-income", use_case: "tenant", permissible_purpose: "employee-request", target: applicant };
    return (await this.call<{ token: string }>("POST", "/credentials/session", JSON.stringify(order))).token;
  }

  /** Serves the webhook. What fails is not taken, so that the service sends it again. */
  readonly listener: RequestListener = async (request, answer) => {
    try {
      if (request.headers["x-webhook-token"] !== this.secret) {
        answer.writeHead(401).end();
        return;
      }
      let text = "";
      for await (const piece of request) text += piece;
      await this.hear(JSON.parse(text));
      answer.writeHead(204).end();
    } catch {
      answer.writeHead(503).end();
    }
  };

  /**
   * Takes an event. It may come twice, late, after a later one, or before the answer that has the session's token: so what
   * counts is not what it says, but what the request says now.
   */
  private async hear({ data }: Event): Promise<void> {
    const { state } = await this.get(data.verification_request_id);
    if (["completed", "canceled", "invalid"].includes(state)) this.ended.set(data.credentials_session_token, data.verification_request_id);
  }

  /** Returns the income that the session with a token has shown. */
  async result(token: string): Promise<Income> {
    const id = this.ended.get(token);
    if (!id) throw new Pending();
    const request = await this.get(id);
    const report = request.reports?.[0];
    if (!report) throw new Canceled();
    const asOf = report.current_as_of;
    if ((await this.now()).getTime() - Date.parse(asOf) > expireIn) throw new Expired();
    return { employer: report.employer.name, grossPay: report.employee.salary?.gross_pay ?? "", asOf };
  }

  private get(id: string): Promise<Verification> {
    return this.call("GET", `/verification-requests/${id}`);
  }

  /** Sends a request, and again after 429 and 500. */
  private async call<T>(method: string, path: string, body?: string): Promise<T> {
    for (let attempt = 0; attempt < retries; attempt++) {
      const headers = { Authorization: `Bearer ${this.key}`, "Content-Type": "application/json" };
      const answer = await fetch(this.url + path, { method, headers, body, signal: AbortSignal.timeout(longest) });
      if (answer.ok) return (await answer.json()) as T;
      if (answer.status === 451) throw new Unavailable();
      if (answer.status !== 429 && answer.status !== 500) throw new Error(`the service answers ${answer.status}`);
      const after = pause(answer);
      if (after > longest) break;
      await this.wait(after);
    }
    throw new GaveUp();
  }
}

/** How long to wait before a call is sent again. */
function pause(answer: Response): number {
  const after = answer.headers.get("Retry-After") ?? "";
  if (/^\d+$/.test(after)) return Number(after) * 1000;
  const span = Date.parse(after) - Date.parse(answer.headers.get("Date") ?? ""); // it is an instant
  return Number.isNaN(span) ? retryAfter : span;
}

/** The part of an event that this program reads. */
interface Event {
  data: { verification_request_id: string; credentials_session_token: string };
}

/** The fields of a verification request that this program reads. */
interface Verification {
  state: string;
  reports: {
    current_as_of: string;
    employee: { salary: { gross_pay: string | null } | null };
    employer: { name: string };
  }[] | null;
}
