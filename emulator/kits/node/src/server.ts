import { randomBytes } from "node:crypto";
import { Control } from "./control.js";
import type { Account, JournalRequest, Settings, World as WorldDocument } from "./openapi.js";
import { startProcess } from "./process.js";
import { findProgram } from "./program.js";
import { atEnd, nameOf, type Test } from "./tests.js";
import { World } from "./world.js";

export interface ConnectOptions {
  /** The token of the control plane; by default the variable UNDERSTUDY_CONTROL_TOKEN. */
  controlToken?: string;
  /** The base URL of the control plane, if it has an address of its own. */
  controlUrl?: string;
}

export interface StartOptions {
  /** The token of the control plane; by default the variable UNDERSTUDY_CONTROL_TOKEN. */
  controlToken?: string;
  /** The program; by default the one that npm installed, else the variable UNDERSTUDY_BINARY, else `understudy` on the PATH. */
  binary?: string;
  /** More flags of `understudy serve`, such as `["--seed", "7"]`. */
  args?: string[];
  /** What is rejected with 400 instead of being diagnosed only: meanings of `serve --strict`, or `off`; by default `spec`. */
  strict?: string;
  /** Whether answers change in what no client may rely on; by default `off`. */
  grease?: Settings["grease"];
  /** Who uses the token of a credentials session: the emulator at once (`auto`, the default), or a person (`manual`). */
  sessionFlow?: Settings["session_flow"];
  /** What the client's account may do, or a file with it; by default everything. */
  account?: Account | string;
  /** URLs that every world subscribes to its events. */
  webhook?: string | string[];
  /** Whether operations beyond the specification are served. */
  extended?: boolean;
}

/**
 * Starts an emulator on a free loopback port and waits until it serves. The clocks of its worlds stand at
 * 2025-01-15T09:00:00Z. It ends with the process of the tests, however that ends, or by `stop`. Other variables UNDERSTUDY_…
 * of this process do not reach it. Where UNDERSTUDY_URL is set, as by `understudy run`, that emulator is used instead, as it is
 * set, and left running.
 */
export async function start(options: StartOptions = {}): Promise<Server> {
  const running = process.env["UNDERSTUDY_URL"];
  if (running) return connect(running, options);
  const controlToken = options.controlToken ?? process.env["UNDERSTUDY_CONTROL_TOKEN"];
  const program = await findProgram(options.binary);
  const { strict = "spec", grease = "off", sessionFlow = "auto", account = "", webhook = [], extended = false, args = [] } = options;
  const flags = Object.entries({ strict, grease, "session-flow": sessionFlow, account: typeof account === "string" ? account : JSON.stringify(account) });
  const more = [...[webhook].flat().map((target) => `--webhook=${target}`), ...(extended ? ["--extended"] : []), ...args];
  const { urls: [url = "", controlUrl = url], stop } = await startProcess(program, [...flags.map(([name, value]) => `--${name}=${value}`), ...more], controlToken);
  try {
    const control = new Control(controlUrl, controlToken);
    return new Server(url, control, (await control.info()).key_prefix, stop, `${program.place}: ${program.path}`);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Uses an emulator that runs already, at its base URL. It fails at once if there is none, or another server. */
export async function connect(url: string, options: ConnectOptions = {}): Promise<Server> {
  const token = options.controlToken ?? process.env["UNDERSTUDY_CONTROL_TOKEN"];
  const control = new Control((options.controlUrl ?? url).replace(/\/+$/, ""), token);
  const { key_prefix } = await control.info();
  return new Server(url.replace(/\/+$/, ""), control, key_prefix, async () => {});
}

/** An emulator. `await using` stops it at the end of a block. */
export class Server {
  /**
   * Made by {@link start} and {@link connect}. `url` is the base URL of the emulated API, such as `http://127.0.0.1:40123`;
   * `program` is what was started, and where it was found, such as `UNDERSTUDY_BINARY: /opt/understudy`.
   */
  constructor(
    readonly url: string,
    private readonly control: Control,
    private readonly keyPrefix: string,
    private readonly end: () => Promise<void>,
    readonly program?: string,
  ) {}

  /**
   * Makes a world of its own for a test. Its clock stands until the test moves it. Given the context of a test of node:test
   * or vitest, the world is deleted when the test ends, and the requests of a failed test are printed. Given a name, or
   * nothing, the test deletes it.
   */
  async world(test?: Test): Promise<World> {
    const key = this.keyOf(nameOf(test));
    const control = new Control(this.control.url, this.control.token, key);
    const { id, clock } = await control.call<WorldDocument>("POST", "reset"); // the first use of a key makes its world
    const world = new World(this.url, control, key, id);
    if (!clock.frozen) await world.freeze();
    if (test !== undefined && typeof test !== "string") atEnd(test, world, control);
    return world;
  }

  /** Returns the requests that reached no world, because of their key or path, the latest first, or the first ones up to a limit. */
  unmatched(limit?: number): Promise<JournalRequest[]> {
    return this.control.list("unmatched-requests", {}, limit);
  }

  /** Ends the emulator, if `start` started it. */
  stop(): Promise<void> {
    return this.end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }

  /** Returns a new key. Its random part comes first, so that no test has a magic key such as svc_sk_test_revoked. */
  private keyOf(test: string): string {
    return `${this.keyPrefix}_sk_test_${randomBytes(8).toString("hex")}_${test.replace(/[^A-Za-z0-9_-]/g, "-").slice(0, 100)}`;
  }
}
