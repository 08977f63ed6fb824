import { constants, readdirSync } from "node:fs";
import { access, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { answerInTime } from "./answer-in-time.ts";
import { endMarked, killMarked, MARK_VARIABLE, processState } from "./marked-processes.ts";
import { ProgramError } from "./program.ts";
import type { ProgramOrder, Programs, RunningProgram } from "./program.ts";
import { readSmallFile } from "./read-small-file.ts";
import { writeScript } from "./script-file.ts";

/** Time between SIGTERM and SIGKILL for a process group. */
const GRACE_MS = 2_000;
const LOOK_EVERY_MS = 20;
const WINDOWS = process.platform === "win32";

/** Runs programs of jobs as this process's own account, with their scripts in the agent's state directory. */
export function programsHere(stateDirectory: string): Programs {
  return {
    start: async ({ script, ...order }) => {
      if (script === undefined) return startingHere(order);
      const file = await writeScript(join(stateDirectory, "scripts"), script);
      const remove = (): Promise<void> => file[Symbol.asyncDispose]();
      try {
        const argv = [...order.argv, file.path];
        const cwd = order.cwd ?? file.directory;
        return { ...(await startingHere({ ...order, argv, cwd })), close: remove };
      } catch (error) {
        await remove();
        throw error;
      }
    },
    readFile: readSmallFile,
    otherAccount: false,
  };
}

/** Starts a program in a new process group. Children that outlive it keep running until `end`. */
export async function startingHere(order: OrderHere): Promise<RunningProgram> {
  if (order.cwd !== undefined) await answerInTime(checkDirectory(order.cwd), "wrong_directory", order.cwd);
  return startingIn(order);
}

type OrderHere = Omit<ProgramOrder, "script">;

/** Like `startingHere`, for a directory that is known to exist. */
export function startingIn({ argv, env, cwd, stdin, mark }: OrderHere): RunningProgram {
  const child = Bun.spawn([...argv], {
    cwd,
    env: { ...env, [MARK_VARIABLE]: mark },
    stdin: stdin === undefined ? "ignore" : Buffer.from(stdin),
    stdout: "pipe",
    stderr: "pipe",
    // Makes the child the leader of a new group. On Windows it would open a console window instead.
    detached: !WINDOWS,
    windowsHide: true,
  });
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    exited: child.exited.then((exitCode) => {
      return { exitCode, signal: child.signalCode === null ? null : String(child.signalCode) };
    }),
    end: async (what) => {
      const marked = what === "everything" ? endMarked(mark, child.pid) : null;
      await Promise.all([endGroup(child.pid), marked]);
      if (marked !== null) await killMarked(mark, child.pid);
    },
    close: async () => undefined,
  };
}

/** The runtime reports a missing directory as a missing program. */
async function checkDirectory(path: string): Promise<void> {
  const fail = (what: string): ProgramError => new ProgramError("wrong_directory", `${path} ${what}`);
  const found = await stat(path).catch(() => null);
  if (found === null) throw fail("does not exist on the agent's host, or the account of jobs may not see it");
  if (!found.isDirectory()) throw fail("is not a directory");
  await access(path, constants.X_OK).catch(() => {
    throw fail("is not accessible to the account of jobs");
  });
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

/** Whether the group had a process to signal. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/**
 * Whether all processes of a group are zombies. In a container without an init process no process collects orphans, so
 * waiting for them would never end.
 */
function onlyZombies(group: number): boolean {
  if (process.platform !== "linux") return false;
  return readdirSync("/proc").every((name) => !/^\d+$/u.test(name) || !runsInGroup(name, group));
}

function runsInGroup(pid: string, group: number): boolean {
  const found = processState(pid);
  return found !== null && found.group === group && found.state !== "Z";
}
