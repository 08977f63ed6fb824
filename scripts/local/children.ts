import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";

/**
 * Who is killed cannot stop its children: workerd would go on with the objects' files, and the agent with its journal.
 * So they stand in `<state>/children.json`, and the next start ends them. What proves that a process is still the same one
 * is when it started: a number is given again. Needs /proc, so Linux; elsewhere nothing is written and nothing ended.
 */
const childSchema = z.object({
  pid: z.int().positive(),
  /** What started it. While that runs nothing was left behind: a copy of a directory names the children of another run. */
  parent: z.int(),
  /** Of the machine: its processes' start times count from there. */
  bootId: z.string(),
  /** Clock ticks since the machine's start. */
  startTime: z.string(),
  /** Its arguments, each behind a NUL, as the kernel has them. */
  command: z.string(),
});
export type Child = z.infer<typeof childSchema>;

/** The last one ends what does not hear. The second makes an agent end its jobs, too. */
const SIGNALS = ["SIGTERM", "SIGTERM", "SIGKILL"] as const;
const SERVICE = "workerd";
const WAIT_MS = 4_000;
const LONG_MS = 2_000;
const LOOK_EVERY_MS = 20;

/** Writes down which children this process has now. To be called by who holds the state's lock, after each new child. */
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
    // Missed only when this process is killed: no reason to end what runs.
    console.error(`bellhop: what runs could not be written to ${file}: ${String(error)}`);
  }
}

/** To be called when all of them have ended. */
export function forgetChildren(stateDirectory: string): void {
  rmSync(fileIn(stateDirectory), { force: true });
}

/**
 * Ends what a killed run has left behind. Gives what it ended; throws when one of them cannot be ended, with its number
 * and what to do. To be called by who holds the state's lock: then nobody else has these children. `onLong` gets those that
 * still run after two seconds, once.
 */
export async function endLeftBehind(
  stateDirectory: string,
  waitMs = WAIT_MS,
  onLong: (children: Child[]) => void = () => {},
): Promise<Child[]> {
  const left = (await readRecord(stateDirectory)).filter(isOrphan);
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

/** Miniflare ends workerd this way, too. At SIGTERM it waits for its connections, whose calls wait for a database that is gone. */
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
    // None, or cut by a loss of power, which has left nobody running.
    return [];
  }
}

function isAlive(child: Child): boolean {
  const now = lookAt(child.pid);
  return (
    now !== null &&
    now.bootId === child.bootId &&
    now.startTime === child.startTime &&
    // A process that ends loses its arguments before it closes its sockets.
    (now.command === child.command || now.command === "")
  );
}

function isOrphan(child: Child): boolean {
  return isAlive(child) && lookAt(child.pid)?.parent !== child.parent;
}

function send(child: Child, signal: NodeJS.Signals): void {
  try {
    process.kill(child.pid, signal);
  } catch {
    // It has ended just now, or belongs to somebody else: whether it is alive afterwards says which.
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
 * A process that runs; null when there is none, or when it has ended and only waits to be collected. While other threads
 * than its first one run, it still has its sockets.
 */
function lookAt(pid: number): Child | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before them may hold anything, but is in parentheses.
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
