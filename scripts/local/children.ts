import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";

/**
 * A killed process cannot stop its children: workerd would keep the objects' files, and the agent its journal. So the
 * children are listed in `<state>/children.json`, and the next start ends them. The start time proves that a process is
 * still the same one, because process numbers are reused. Needs /proc, so Linux; on other systems nothing is written
 * and nothing ended.
 */
const childSchema = z.object({
  pid: z.int().positive(),
  /**
   * The parent process. While the parent runs, nothing was left behind: a copied directory lists the children of
   * another run.
   */
  parent: z.int(),
  /** The machine's boot: start times of processes count from there. */
  bootId: z.string(),
  /** Clock ticks since the machine's start. */
  startTime: z.string(),
  /** Its arguments, each followed by a NUL, as in /proc. Empty for a process that had only just been started. */
  command: z.string(),
});
export type Child = z.infer<typeof childSchema>;

/** SIGKILL ends a process that ignores the others. The second SIGTERM makes an agent end its jobs, too. */
const SIGNALS = ["SIGTERM", "SIGTERM", "SIGKILL"] as const;
const SERVICE = "workerd";
const WAIT_MS = 4_000;
const LONG_MS = 2_000;
const LOOK_EVERY_MS = 20;

/** Records the children that this process has now. The holder of the state's lock calls it after each new child. */
export function recordChildren(stateDirectory: string): void {
  const children = processes().flatMap((pid) => {
    const child = lookAt(pid);
    return child === null || child.parent !== process.pid ? [] : [childSchema.parse(child)];
  });
  const file = fileIn(stateDirectory);
  try {
    writeFileSync(`${file}.new`, `${JSON.stringify(children, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    // The file matters only when this process is killed: no reason to end the service.
    console.error(`bellhop: the list of running processes could not be written to ${file}: ${String(error)}`);
  }
}

/** For a shutdown in which all children have ended. */
export function forgetChildren(stateDirectory: string): void {
  rmSync(fileIn(stateDirectory), { force: true });
}

/**
 * Ends the children of a killed run and returns them. Throws when one of them cannot be ended, with its number and what
 * to do. Only for the holder of the state's lock: no other process then owns these children. `onLong` gets, once, the
 * ones that still run after two seconds.
 */
export async function endLeftBehind(
  stateDirectory: string,
  waitMs = WAIT_MS,
  onLong: (children: Child[]) => void = () => {},
): Promise<Child[]> {
  const left = (await readRecord(stateDirectory)).filter(isOrphan).map(withCommand);
  const long = setTimeout(() => onLong(left.filter(isAlive)), LONG_MS);
  for (const signal of SIGNALS) {
    for (const child of left.filter(isAlive)) send(child, isService(child) ? "SIGKILL" : signal);
    await waitForEnd(left, waitMs);
  }
  clearTimeout(long);
  const stays = left.find(isAlive);
  if (stays !== undefined) {
    throw new Error(
      `a former run was killed and had left ${nameOf(stays)} behind, which cannot be ended from here. End it, then start again: sudo kill -9 ${stays.pid}`,
    );
  }
  forgetChildren(stateDirectory);
  return left;
}

/** As in "its service (pid 12)". */
export function nameOf({ pid, command }: Child): string {
  const program = programOf(command);
  const name = program === SERVICE ? "service" : program.startsWith("bellhop-agent") ? "agent" : program;
  return `its ${name} (pid ${pid})`;
}

/**
 * Miniflare ends workerd with SIGKILL, too. On SIGTERM workerd waits for its connections, whose calls wait for a
 * database that is gone.
 */
function isService({ command }: Child): boolean {
  return programOf(command) === SERVICE;
}

function programOf(command: string): string {
  return basename(command.split("\0")[0] ?? "");
}

async function readRecord(stateDirectory: string): Promise<Child[]> {
  try {
    return z.array(childSchema).parse(JSON.parse(await readFile(fileIn(stateDirectory), "utf8")));
  } catch {
    // The file is missing, or a loss of power cut it and ended the children, too.
    return [];
  }
}

function isAlive(child: Child): boolean {
  const now = lookAt(child.pid);
  return (
    now !== null &&
    now.bootId === child.bootId &&
    now.startTime === child.startTime &&
    // A process has its arguments a moment after its start, and loses them before it closes its sockets.
    (now.command === child.command || now.command === "" || child.command === "")
  );
}

function withCommand(child: Child): Child {
  return child.command === "" ? { ...child, command: lookAt(child.pid)?.command ?? "" } : child;
}

function isOrphan(child: Child): boolean {
  return isAlive(child) && lookAt(child.pid)?.parent !== child.parent;
}

function send(child: Child, signal: NodeJS.Signals): void {
  try {
    process.kill(child.pid, signal);
  } catch {
    // The process has just ended, or belongs to another user. The check afterwards shows which.
  }
}

async function waitForEnd(children: Child[], waitMs: number): Promise<void> {
  const deadline = performance.now() + waitMs;
  while (children.some(isAlive) && performance.now() < deadline) await Bun.sleep(LOOK_EVERY_MS);
}

function processes(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/u.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/**
 * A running process; null for a missing one or a zombie. A zombie whose other threads still run counts as running: it
 * still has its sockets.
 */
function lookAt(pid: number): Child | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before these fields may hold any character, but is in parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" && Number(fields[17]) <= 1) return null;
    return {
      pid,
      parent: Number(fields[1]),
      bootId: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
      startTime: fields[19] ?? "",
      command: readFileSync(`/proc/${pid}/cmdline`, "utf8"),
    };
  } catch {
    return null;
  }
}

function fileIn(stateDirectory: string): string {
  return join(stateDirectory, "children.json");
}
