import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Every process of a job inherits this variable. A process that should survive the job has to remove it. */
export const MARK_VARIABLE = "BELLHOP_JOB_PROCESSES";
const GRACE_MS = 2_000;
const LOOK_EVERY_MS = 50;
/** A dying process may start others, so the kill is repeated. */
const KILL_ROUNDS = 3;

/**
 * Ends processes that left the process group (setsid) and still have the mark in their environment: SIGTERM, and
 * SIGKILL after 2 s. Only on Linux, and only for processes of this user, whose environments can be read.
 */
export async function endMarked(mark: string, group: number): Promise<void> {
  signalMarked(mark, group, "SIGTERM");
  const deadline = performance.now() + GRACE_MS;
  while (performance.now() < deadline && markedOutside(mark, group).length > 0) await pause(LOOK_EVERY_MS);
  await killMarked(mark, group);
}

export async function killMarked(mark: string, group: number): Promise<void> {
  for (let round = 0; round < KILL_ROUNDS && signalMarked(mark, group, "SIGKILL"); round += 1) {
    await pause(LOOK_EVERY_MS);
  }
}

/** The processes of a job that a killed agent left behind. */
export interface Leftover {
  /** How many processes ran. */
  found: number;
  /** Processes that could not be ended: they belong to another user by now, or the kernel holds them. */
  left: number[];
}

/**
 * Ends all processes with the mark, and the members of process groups that the job made. No other process can have the
 * mark, so no process id has to be trusted. Null when there were none, and always on other systems than Linux.
 */
export async function endLeftover(mark: string): Promise<Leftover | null> {
  const found = leftoverOf(mark);
  if (found.size === 0) return null;
  signalEach(found, "SIGTERM");
  const deadline = performance.now() + GRACE_MS;
  while (performance.now() < deadline && leftoverOf(mark).size > 0) await pause(LOOK_EVERY_MS);
  for (let round = 0; round < KILL_ROUNDS && leftoverOf(mark).size > 0; round += 1) {
    signalEach(leftoverOf(mark), "SIGKILL");
    await pause(LOOK_EVERY_MS);
  }
  return { found: found.size, left: [...leftoverOf(mark)] };
}

/** Never includes this process: a job may have started this agent. */
function leftoverOf(mark: string): Set<number> {
  if (process.platform !== "linux") return new Set();
  const all = new Map(processIds().map((pid) => [pid, processState(pid)]));
  const own = processState(String(process.pid))?.group;
  const marked = new Set(markedOutside(mark, -1).map(String));
  const groups = new Set<number>();
  for (const pid of marked) {
    const group = all.get(pid)?.group;
    // A group with a living leader without the mark is not the job's. A group without a leader belongs to the job.
    if (group !== undefined && (marked.has(String(group)) || !all.has(String(group)))) groups.add(group);
  }
  const found = new Set<number>();
  for (const [pid, state] of all) {
    if (state === null || state.state === "Z" || state.group === own || Number(pid) === process.pid) continue;
    if (marked.has(pid) || groups.has(state.group)) found.add(Number(pid));
  }
  return found;
}

/** State and group of a process from proc(5); null when it is gone. */
export function processState(pid: string): { state: string; group: number } | null {
  try {
    // The name is in parentheses and may contain any character. State, parent and group follow it.
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state = "", , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state, group: Number(group) };
  } catch {
    return null;
  }
}

function signalMarked(mark: string, group: number, signal: NodeJS.Signals): boolean {
  const found = markedOutside(mark, group);
  signalEach(found, signal);
  return found.length > 0;
}

function signalEach(pids: Iterable<number>, signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended, or belongs to another user.
    }
  }
}

function processIds(): string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/u.test(name));
}

/** Leaves out members of the group, which get one signal as a group. */
function markedOutside(mark: string, group: number): number[] {
  if (process.platform !== "linux") return [];
  const entry = `${MARK_VARIABLE}=${mark}`;
  return processIds()
    .filter((pid) => environmentOf(pid).includes(entry))
    .filter((pid) => processState(pid)?.group !== group)
    .map(Number);
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
  } catch {
    return [];
  }
}
