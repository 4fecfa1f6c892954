import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const startsWithin = 30_000; // ms
const stopsWithin = 10_000;

const running = new Set<ChildProcess>();
const killAll = () => running.forEach((child) => child.kill());
process.on("exit", killAll);
process.once("SIGTERM", () => { // ends the workers of vitest, without "exit"
  killAll();
  if (process.listenerCount("SIGTERM") === 0) process.kill(process.pid, "SIGTERM");
});

/** Starts `understudy serve` and waits until it serves. The process of the tests can end while it runs, and ends it then. */
export async function startProcess(binary: string, args: string[], token?: string): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "understudy-"));
  const file = join(folder, "url");
  const flags = ["serve", "--addr", "127.0.0.1:0", "--url-file", file, "--clock", "2025-01-15T09:00:00Z", "--log-level", "warn", "--store", "temp"];
  const env = token === undefined ? process.env : { ...process.env, UNDERSTUDY_CONTROL_TOKEN: token };
  try {
    const child = spawn(binary, [...flags, ...args], { env, stdio: ["ignore", "ignore", "pipe"] });
    const url = await served(child, binary, file);
    return { url, stop: () => stop(child) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the URL once the child has written it to the file. */
async function served(child: ChildProcess, binary: string, file: string): Promise<string> {
  const errors = child.stderr as Socket;
  let printed = "";
  let failed: string | undefined;
  errors.on("data", (text) => (printed += text));
  child.on("error", (error: NodeJS.ErrnoException) => (failed = error.code === "ENOENT" ? missing(binary) : error.message));
  child.on("close", (code, signal) => (failed ??= `understudy ended with ${signal ?? code}:\n${printed}`));
  running.add(child);
  child.on("close", () => running.delete(child));

  for (const end = Date.now() + startsWithin; failed === undefined && Date.now() < end; await sleep(10)) {
    const url = await readFile(file, "utf8").catch(() => "");
    if (!url.endsWith("\n")) continue;
    errors.removeAllListeners("data").pipe(process.stderr, { end: false });
    errors.unref();
    child.unref();
    return url.trim();
  }
  child.kill("SIGKILL");
  throw new Error(failed ?? `understudy does not serve after ${startsWithin / 1000} s:\n${printed}`);
}

function missing(binary: string): string {
  return `there is no program ${JSON.stringify(binary)}. Name it by the option binary or the variable UNDERSTUDY_BINARY, or put understudy ` +
    "on the PATH. In a clone, this builds it: go build -o understudy ./cmd/understudy";
}

async function stop(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return;
  const closed = once(child, "close");
  child.ref();
  child.kill();
  const kill = setTimeout(() => child.kill("SIGKILL"), stopsWithin);
  await closed;
  clearTimeout(kill);
}
