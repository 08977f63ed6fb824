import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Every process of a job inherits it, and one that is to survive the job takes it out of its environment. */
export const MARK_VARIABLE = "BELLHOP_JOB_PROCESSES";
const GRACE_MS = 2_000;
const LOOK_EVERY_MS = 50;
/** What a dying process begins meanwhile is ended, too, as often. */
const KILL_ROUNDS = 3;

/**
 * Ends what left the process group on purpose (setsid) and still has the mark in its environment: SIGTERM, and SIGKILL to
 * what is left 2 s later. Linux alone tells environments, and only those of this user's processes.
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

/** State and group of a process, from what proc(5) says of it; null when it is gone. */
export function processState(pid: string): { state: string; group: number } | null {
  try {
    // The name is in parentheses and may hold anything; state, parent and group follow it.
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state = "", , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state, group: Number(group) };
  } catch {
    return null;
  }
}

function signalMarked(mark: string, group: number, signal: NodeJS.Signals): boolean {
  const found = markedOutside(mark, group);
  for (const pid of found) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended by itself.
    }
  }
  return found.length > 0;
}

/** Members of the group itself are left out: they get their signals as a group, and once. */
function markedOutside(mark: string, group: number): number[] {
  if (process.platform !== "linux") return [];
  const entry = `${MARK_VARIABLE}=${mark}`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name) && environmentOf(name).includes(entry))
    .filter((pid) => processState(pid)?.group !== group)
    .map(Number);
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}
