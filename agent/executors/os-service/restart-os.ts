import { join } from "node:path";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { ExecutorContext } from "../executor.ts";
import { startingHere } from "../../programs/here.ts";
import { inheritedEnvironment } from "../shared/environment.ts";
import { ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { type ProgramEnd, runProcessGroup } from "../shared/process-group.ts";
import { streamsOutput } from "../shared/streams-output.ts";
import { askSystemctl, findProgram, lacksRight, runSystemd, said, throwIfNoManager } from "./systemd.ts";

/** The result must be sent before the machine restarts. */
const DELAY_MIN_SECONDS = 5;
/** One fixed name: a second restart cannot be scheduled, and people can find and stop the timer. */
const UNIT = "bellhop-restart";
/** The limit for all calls that cancel a restart. */
const TAKE_BACK_MS = 5_000;
/** `systemctl is-active` for an inactive or missing unit. */
const NOT_ACTIVE = new Set([3, 4]);

/**
 * Schedules a restart of the machine, at least 5 s later, and answers before it happens. Output: `{stdout, stderr,
 * exitCode, delaySeconds}`. Failures: `os_restart_not_allowed`, `restart_already_scheduled`, `permission_denied`,
 * `service_failed`, `service_manager_missing`.
 */
export async function restartOs(
  delaySeconds: number | undefined,
  context: ExecutorContext,
  platform: NodeJS.Platform = process.platform,
): Promise<JsonObject> {
  if (!context.settings.allowOsRestart) {
    const message =
      "This agent may not restart its machine. To allow it, set ALLOW_OS_RESTART=true in the agent's environment and restart the agent.";
    throw new ExecutorFailure("os_restart_not_allowed", message);
  }
  const delay = Math.max(DELAY_MIN_SECONDS, delaySeconds ?? DELAY_MIN_SECONDS);
  const end = platform === "win32" ? await onWindows(delay, context.signal) : await onLinux(delay, context);
  return { ...streamsOutput(end.streams, end.exitCode), delaySeconds: delay };
}

/** A systemd timer: it outlives the agent, counts seconds, and `systemctl stop` cancels it. */
async function onLinux(delay: number, { jobId, signal }: ExecutorContext): Promise<ProgramEnd> {
  const active = await askSystemctl(["is-active", "--", `${UNIT}.timer`], signal);
  if (signal.aborted) throw jobEnded("It was not begun.");
  if (active.exitCode === 0) throw alreadyScheduled(`systemctl stop ${UNIT}.timer`);
  if (active.aborted || !NOT_ACTIVE.has(active.exitCode)) {
    const why = active.aborted
      ? "it gave no answer within its time"
      : said(active) || `systemctl ended with ${active.exitCode}`;
    const message = `The restart was not scheduled, because systemd did not say whether one is scheduled already: ${why}`;
    throw new ExecutorFailure("service_failed", message);
  }
  const systemctl = findProgram("systemctl") ?? "systemctl";
  const when = [`--on-active=${delay}s`, "--timer-property=AccuracySec=100ms"];
  const description = `Restart asked for by Bellhop, job ${jobId}`;
  const what = [`--unit=${UNIT}`, "--collect", `--description=${description}`];
  const args = ["--system", "--no-ask-password", ...what, ...when, "--", systemctl, "reboot"];
  const end = await runSystemd("systemd-run", args, signal);
  if (end.aborted) throw jobEnded(await takenBack(description), streamsOutput(end.streams, null));
  throwIfNoManager(end);
  if (lacksRight(end)) {
    const message = `The agent's user may not schedule a restart: ${said(end)} To let it restart the machine, run the agent as root.`;
    throw new ExecutorFailure("permission_denied", message, streamsOutput(end.streams, end.exitCode));
  }
  if (/already loaded/u.test(said(end))) throw alreadyScheduled(`systemctl stop ${UNIT}.timer`);
  return checked(end, "systemd-run");
}

/** Stops the timer if it belongs to this job, and returns a sentence about the outcome. */
async function takenBack(description: string): Promise<string> {
  const limit = AbortSignal.timeout(TAKE_BACK_MS);
  const ask = (...args: string[]): Promise<ProgramEnd> =>
    runSystemd("systemctl", ["--system", "--no-pager", "--no-ask-password", ...args, "--", `${UNIT}.timer`], limit);
  const mayCome = `The restart may still happen. To cancel it, run \`systemctl stop ${UNIT}.timer\` on the machine.`;
  const shown = await ask("show", "--property=Description");
  if (shown.exitCode !== 0) return mayCome;
  if (shown.streams.stdout.read().text.trim() !== `Description=${description}`) return "It scheduled no restart.";
  const stopped = await ask("stop");
  const left = await ask("is-active");
  return stopped.exitCode === 0 && NOT_ACTIVE.has(left.exitCode) ? "The restart was cancelled." : mayCome;
}

/** shutdown.exe has its own timer; `shutdown /a` cancels it. Exit code 1190: a restart is scheduled already. */
async function onWindows(delay: number, signal: AbortSignal): Promise<ProgramEnd> {
  const env = inheritedEnvironment();
  const systemRoot = Object.entries(env).find(([name]) => name.toUpperCase() === "SYSTEMROOT")?.[1];
  const program = findProgram("shutdown") ?? join(systemRoot ?? "C:\\Windows", "System32", "shutdown.exe");
  const args = ["/r", "/t", String(delay), "/d", "p:4:1", "/c", "Restart asked for by Bellhop"];
  const end = await runProcessGroup(startingHere, [program, ...args], { env, signal, secrets: [] });
  const already = end.exitCode === 1190 || /\(1190\)/u.test(said(end));
  if (end.aborted) {
    const state = already ? "It scheduled no restart." : await takenBackOnWindows(program, env);
    throw jobEnded(state, streamsOutput(end.streams, null));
  }
  if (already) throw alreadyScheduled("shutdown /a");
  if (end.exitCode === 5 || /\(5\)/u.test(said(end))) {
    const message = `The agent's user may not restart the machine: ${said(end)} Give it the right "Shut down the system", or run the agent as LocalSystem.`;
    throw new ExecutorFailure("permission_denied", message, streamsOutput(end.streams, end.exitCode));
  }
  return checked(end, "shutdown.exe");
}

/** Windows does not report who scheduled a restart. Exit code 1116: none is scheduled. */
async function takenBackOnWindows(program: string, env: Record<string, string>): Promise<string> {
  const end = await runProcessGroup(startingHere, [program, "/a"], {
    env,
    signal: AbortSignal.timeout(TAKE_BACK_MS),
    secrets: [],
  });
  if (end.exitCode === 0) return "The scheduled restart was cancelled, even if another program had scheduled it.";
  if (end.exitCode === 1116 || /\(1116\)/u.test(said(end))) return "No restart is scheduled.";
  return "The restart may still happen. To cancel it, run `shutdown /a` on the machine.";
}

function checked(end: ProgramEnd, program: string): ProgramEnd {
  if (end.exitCode === 0) return end;
  const message = `The restart could not be scheduled: ${program} ended with exit code ${end.exitCode}. ${said(end)}`;
  throw new ExecutorFailure("service_failed", message, streamsOutput(end.streams, end.exitCode));
}

function alreadyScheduled(command: string): ExecutorFailure {
  const message = `A restart of this machine is already scheduled and was not changed. To cancel it, run \`${command}\` there.`;
  return new ExecutorFailure("restart_already_scheduled", message);
}
