import { inheritedEnvironment } from "../shared/environment.ts";
import { startingHere } from "../../programs/here.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { type ProgramEnd, runProcessGroup } from "../shared/process-group.ts";

/** systemd answers within this time unless the machine is overloaded. */
export const QUESTION_TIMEOUT_MS = 10_000;
/** Messages are parsed, so they must be English and without colours. */
const ENVIRONMENT = { LC_ALL: "C", SYSTEMD_COLORS: "0", SYSTEMD_URLIFY: "0" };
const NO_MANAGER = /has not been booted with systemd|Host is down|Failed to connect to (bus|system scope bus)/u;
const NO_RIGHT = /[Aa]uthentication (is )?required|Access denied|Permission denied|Operation not permitted/u;
const SAID_MAX_CHARS = 500;

export type SystemdProgram = "systemctl" | "journalctl" | "systemd-run";

/** The full path of a program on the PATH of jobs; null when this host has none. */
export function findProgram(program: string): string | null {
  const path = Object.entries(inheritedEnvironment()).find(([name]) => name.toUpperCase() === "PATH")?.[1] ?? "";
  return Bun.which(program, { PATH: path });
}

/**
 * Runs one of systemd's programs in the foreground until it ends or `signal` is aborted. Never asks for a password.
 * Throws `service_manager_missing` when the host has no such program.
 */
export async function runSystemd(
  program: SystemdProgram,
  args: readonly string[],
  signal: AbortSignal,
): Promise<ProgramEnd> {
  const path = findProgram(program);
  if (path === null) throw managerMissing(`${program} is not on the PATH of the agent`);
  return await runProcessGroup(startingHere, [path, ...args], {
    env: { ...inheritedEnvironment(), ...ENVIRONMENT },
    cwd: "/",
    signal,
    secrets: [],
  });
}

/** Runs a systemctl query; `aborted` when there is no answer within `limitMs`. Throws when there is no systemd. */
export async function askSystemctl(
  args: readonly string[],
  signal: AbortSignal,
  limitMs = QUESTION_TIMEOUT_MS,
): Promise<ProgramEnd> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const end = await runSystemd("systemctl", ["--system", "--no-pager", "--no-ask-password", ...args], bounded);
  throwIfNoManager(end);
  return end;
}

/** Throws when systemd does not run, or this user cannot reach it. */
export function throwIfNoManager(end: ProgramEnd): void {
  if (end.exitCode !== 0 && NO_MANAGER.test(said(end))) throw managerMissing(`systemctl says: ${said(end)}`);
}

export function lacksRight(end: ProgramEnd): boolean {
  return end.exitCode !== 0 && NO_RIGHT.test(said(end));
}

/** What a program wrote to stderr, on one line. */
export function said({ streams }: ProgramEnd): string {
  return streams.stderr.read().text.trim().replaceAll(/\s+/gu, " ").slice(0, SAID_MAX_CHARS);
}

function managerMissing(why: string): ExecutorFailure {
  const message = `The agent's host has no service manager that can be reached: ${why}. Services need systemd, and an agent that runs on the host itself, not in a container.`;
  return new ExecutorFailure("service_manager_missing", message);
}
