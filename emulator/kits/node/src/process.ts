import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { missing, type Program } from "./program.js";

const startsWithin = 30_000; // ms
const stopsWithin = 15_000;
const maxLog = 16 << 10; // characters of the log that a failed start shows: the last

/** A server that this process has started. */
export interface Started {
  /** The base URL and, if it has an address of its own, that of the control plane. */
  urls: string[];
  stop(): Promise<void>;
}

/**
 * Starts `understudy serve` and waits until it serves. It ends with this process, however that ends: its standard input is a
 * pipe that this process alone holds open. It does not keep this process from ending.
 */
export async function startProcess(program: Program, args: string[], token?: string): Promise<Started> {
  const flags = ["serve", "--addr", "127.0.0.1:0", "--clock", "2025-01-15T09:00:00Z", "--log-level", "warn", "--store", "temp"];
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("UNDERSTUDY_")));
  if (token !== undefined) env["UNDERSTUDY_CONTROL_TOKEN"] = token;
  // In a session of its own it serves until the tests have ended, also after Ctrl-C.
  const child = spawn(program.path, [...flags, ...args, "--exit-with-stdin", "--url-file", "-"], { env, detached: true, windowsHide: true, stdio: "pipe" });
  const urls = await served(child, program);
  for (const pipe of [child.stdin, child.stdout, child.stderr]) (pipe as unknown as Socket).unref();
  child.unref();
  return { urls, stop: () => stop(child) };
}

/** Returns the URLs once the child has printed them. They come in one piece. */
function served(child: ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream }, program: Program): Promise<string[]> {
  return new Promise((resolve, reject) => {
    let log = "";
    const name = `understudy (${program.place}: ${program.path})`;
    const keep = (piece: unknown) => (log = (log + piece).slice(-maxLog));
    const fail = (message: string) => {
      clearTimeout(limit);
      child.kill("SIGKILL");
      reject(new Error(message));
    };
    const limit = setTimeout(() => fail(`${name} did not serve within ${startsWithin / 1000} s:\n${log}`), startsWithin);
    const failed = (error: NodeJS.ErrnoException) => fail(error.code === "ENOENT" ? missing(program) : `${name} cannot be started: ${error.message}`);
    const closed = (code: number | null, signal: string | null) =>
      fail(`${name} ended with ${signal ?? `exit code ${code}`}:\n${log}`);
    child.stdin?.on("error", () => {}); // it has ended, which "close" tells
    child.on("error", failed).on("close", closed);
    child.stderr.on("data", keep);
    child.stdout.once("data", (piece) => {
      clearTimeout(limit);
      child.off("close", closed).stderr.off("data", keep).pipe(process.stderr, { end: false });
      child.stdout.resume();
      resolve(String(piece).trim().split("\n"));
    });
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.ref();
  child.stdin?.destroy();
  const kill = setTimeout(() => child.kill("SIGKILL"), stopsWithin);
  await ended;
  clearTimeout(kill);
}
