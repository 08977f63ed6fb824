import { readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { CappedStream } from "./capped-stream.ts";
import { DRAIN_MS, noteEndedChildren } from "./held-output.ts";
import { endMarked, killMarked, MARK_VARIABLE, processState } from "./marked-processes.ts";
import type { Streams } from "./streams-output.ts";

/** Between asking a process group to end and ending it. */
const GRACE_MS = 2_000;
const LOOK_EVERY_MS = 20;
const WINDOWS = process.platform === "win32";

export interface ProgramEnd {
  exitCode: number;
  /** The signal that ended the program, when it was one. */
  signal: string | null;
  streams: Streams;
  /** Whether it was ended here, because `signal` was aborted. */
  aborted: boolean;
}

/**
 * Runs a program in a process group of its own, with nothing on its standard input. When `signal` is aborted the whole
 * group is ended, and on Linux what left it: SIGTERM, and SIGKILL to what is left 2 s later; the promise settles when all
 * is gone. Children that outlive the program are left alone unless they keep its output open.
 */
export async function runProcessGroup(
  argv: string[],
  options: {
    env: Record<string, string>;
    cwd?: string;
    signal: AbortSignal;
    secrets: readonly string[];
    /** The job's own, where what outlives the agent is to be found again; any other will do elsewhere. */
    mark?: string;
  },
): Promise<ProgramEnd> {
  const mark = options.mark ?? crypto.randomUUID();
  const child = Bun.spawn(argv, {
    cwd: options.cwd,
    env: { ...options.env, [MARK_VARIABLE]: mark },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    // Makes the child the leader of a new group; on Windows it would open a console window instead.
    detached: !WINDOWS,
    windowsHide: true,
  });
  const streams = { stdout: new CappedStream(options.secrets), stderr: new CappedStream(options.secrets) };
  const drains = [drain(child.stdout, streams.stdout), drain(child.stderr, streams.stderr)];
  const drained = Promise.all(drains.map(({ done }) => done));
  const aborting = abortion(options.signal);
  try {
    await Promise.race([child.exited, aborting.promise]);
    const how = await Promise.race([
      Promise.all([child.exited, drained]).then(() => "complete" as const),
      aborting.promise,
      pause(DRAIN_MS, "held" as const, { ref: false }),
    ]);
    if (how !== "complete") {
      const marked = how === "aborted" ? endMarked(mark, child.pid) : null;
      await Promise.all([endGroup(child.pid), marked]);
      if (marked !== null) await killMarked(mark, child.pid);
      // What left the group on purpose (setsid) and gave the mark away can still hold the output.
      await Promise.race([drained, pause(GRACE_MS / 4, undefined, { ref: false })]);
    }
    if (how === "held") noteEndedChildren(streams.stderr);
    const exitCode = await child.exited;
    const signal = child.signalCode === null ? null : String(child.signalCode);
    return { exitCode, signal, streams, aborted: how === "aborted" };
  } finally {
    aborting.stop();
    for (const { cancel } of drains) cancel();
  }
}

function drain(stream: ReadableStream<Uint8Array>, into: CappedStream): { done: Promise<void>; cancel: () => void } {
  const reader = stream.getReader();
  const readAll = async (): Promise<void> => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      into.push(value);
    }
  };
  return { done: readAll(), cancel: () => void reader.cancel() };
}

async function endGroup(pid: number): Promise<void> {
  if (WINDOWS) {
    await Bun.spawn(["taskkill", "/PID", String(pid), "/T", "/F"], { stdio: ["ignore", "ignore", "ignore"] }).exited;
    return;
  }
  signalGroup(pid, "SIGTERM");
  if (await groupGone(pid)) return;
  signalGroup(pid, "SIGKILL");
  await groupGone(pid);
}

async function groupGone(pid: number): Promise<boolean> {
  const deadline = performance.now() + GRACE_MS;
  while (signalGroup(pid, 0) && !onlyZombies(pid)) {
    if (performance.now() > deadline) return false;
    await pause(LOOK_EVERY_MS);
  }
  return true;
}

/** Whether there was anything left in the group to signal. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/**
 * Whether all of a group has ended and only waits to be collected. In a container without an init process nobody
 * collects orphans, and waiting for them would never end.
 */
function onlyZombies(group: number): boolean {
  if (process.platform !== "linux") return false;
  return readdirSync("/proc").every((name) => !/^\d+$/u.test(name) || !runsInGroup(name, group));
}

function runsInGroup(pid: string, group: number): boolean {
  const found = processState(pid);
  return found !== null && found.group === group && found.state !== "Z";
}

function abortion(signal: AbortSignal): { promise: Promise<"aborted">; stop: () => void } {
  const { promise, resolve } = Promise.withResolvers<"aborted">();
  const onAbort = (): void => resolve("aborted");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return { promise, stop: () => signal.removeEventListener("abort", onAbort) };
}
