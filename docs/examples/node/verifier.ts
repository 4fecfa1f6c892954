// Finds out what an applicant earns. It is an example of a program that uses the verification API; its tests show how such
// a program is tested. Spans are milliseconds.

const hour = 60 * 60 * 1000;
const pollEvery = 6 * hour;
const polls = 40; // ten days
const retries = 3; // of one call
const retryAfter = 2000; // where an answer does not say
const expireIn = 30 * 24 * hour; // what was true a month ago counts no more

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
  override message = "the verification takes too long";
}
export class Canceled extends Error {
  override message = "the verification was canceled";
}

/** What the latest report says of a person. */
export interface Income {
  employer: string;
  grossPay: string;
  asOf: string; // YYYY-MM-DD
}

/** Asks the API at a base URL with a key. */
export class Verifier {
  constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly wait: (span: number) => Promise<void>,
    private readonly now: () => Promise<Date>,
  ) {}

  /** Waits until a verification request is completed, and returns its income. */
  async income(id: string): Promise<Income> {
    for (let poll = 0; poll < polls; poll++) {
      const request = await this.get(id);
      if (request.state === "completed") return this.fresh(request);
      if (request.state === "canceled") throw new Canceled();
      await this.wait(pollEvery);
    }
    throw new Pending();
  }

  /** Returns the income of the first report, unless it has expired. */
  private async fresh(request: Verification): Promise<Income> {
    const report = request.reports?.[0];
    if (!report) throw new Error("the verification has no report");
    const asOf = report.current_as_of;
    if ((await this.now()).getTime() - Date.parse(asOf) > expireIn) throw new Expired();
    return { employer: report.employer.name, grossPay: report.employee.salary?.gross_pay ?? "", asOf };
  }

  /** Reads a verification request. It sends it again after 429 and 500. */
  private async get(id: string): Promise<Verification> {
    for (let attempt = 0; attempt < retries; attempt++) {
      const answer = await fetch(`${this.url}/verification-requests/${id}`, { headers: { Authorization: `Bearer ${this.key}` } });
      if (answer.ok) return (await answer.json()) as Verification;
      if (answer.status === 451) throw new Unavailable();
      if (answer.status !== 429 && answer.status !== 500) throw new Error(`the service answers ${answer.status}`);
      await this.wait(pause(answer));
    }
    throw new GaveUp();
  }
}

/** How long to wait before a call is sent again. */
function pause(answer: Response): number {
  const seconds = answer.headers.get("Retry-After") ?? "";
  return /^\d+$/.test(seconds) ? Number(seconds) * 1000 : retryAfter;
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
