import { setTimeout as pause } from "node:timers/promises";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { ExecutorContext } from "../executor.ts";
import { ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { streamsOutput } from "../shared/streams-output.ts";
import type { ProgramEnd } from "../shared/process-group.ts";
import { begunUnits, movesSystem } from "./begun-units.ts";
import { journalOf } from "./journal.ts";
import { refuseOwnUnit } from "./own-unit.ts";
import { lacksRight, runSystemd, said, throwIfNoManager } from "./systemd.ts";
import { changesSystemState, unitName } from "./unit-name.ts";
import { notAsWanted, type ServiceVerb, stateOutput, type UnitState, unitState } from "./unit-state.ts";

/** How long a service must stay up if systemd cannot know when it is ready (Type=simple, exec, idle). */
const SETTLE_MS = 1_000;
const LOOK_EVERY_MS = 100;
/** Within the 10 s that the runner waits after an abort. */
const LAST_LOOK_MS = 8_000;
/** After an abort, when systemctl had to be ended first. */
const ABORTED_LOOK_MS = 3_000;
const NEVER_READY = new Set(["simple", "exec", "idle"]);

/**
 * Starts, stops or restarts a systemd unit, waits for systemctl, and checks the unit's state. Output: `{stdout, stderr,
 * exitCode, service, activeState, subState, result, journal?}`. Failures: `invalid_params`, `service_not_found`,
 * `service_masked`, `own_service`, `permission_denied`, `service_failed`, `service_manager_missing`,
 * `os_restart_not_allowed`.
 */
export async function controlUnit(verb: ServiceVerb, service: string, context: ExecutorContext): Promise<JsonObject> {
  const unit = unitName(service);
  const before = await unitState(unit, context.signal);
  refuse(verb, unit, before);
  const begun = await begunUnits(verb, before, context.signal);
  await refuseOwnUnit(verb, before, begun, context.signal);
  const args = ["--system", "--no-pager", "--no-ask-password", verb, "--", unit];
  const end = await runSystemd("systemctl", args, context.signal);
  if (end.aborted) throw await endedEarly(verb, unit, end);
  throwIfNoManager(end);
  if (lacksRight(end)) throw permissionDenied(verb, unit, end);

  const untouched = verb === "start" && before.active === "active";
  const seen = await settled(verb, unit, untouched || end.exitCode !== 0, context.signal).catch(unread);
  if (seen instanceof ExecutorFailure) return withoutState(verb, unit, end, seen);
  const { state, fault } = seen;
  const output = { ...streamsOutput(end.streams, end.exitCode), ...stateOutput(state) };
  if (end.exitCode === 0 && fault === null) return output;
  const journal = context.signal.aborted ? "" : await journalOf(unit);
  throw failed(verb, unit, { end, fault, journal, output });
}

function refuse(verb: ServiceVerb, unit: string, { load, active, names, systemActions }: UnitState): void {
  if (changesSystemState([unit, ...names], systemActions)) throw movesSystem(unit, systemActions);
  // A unit whose file is gone may still run, and can be stopped.
  if (verb === "stop" && !["inactive", "failed"].includes(active)) return;
  if (load === "not-found") {
    const message = `The agent's host has no service ${unit}. Check the name: \`systemctl list-unit-files\` shows those that are installed.`;
    throw new ExecutorFailure("service_not_found", message);
  }
  if (load === "masked" && verb !== "stop") {
    const message = `${unit} is masked on the agent's host: an administrator has forbidden its start. \`systemctl unmask ${unit}\` there allows it again.`;
    throw new ExecutorFailure("service_masked", message);
  }
}

/** The unit's state once it is stable, and what is wrong with it. */
async function settled(
  verb: ServiceVerb,
  unit: string,
  atOnce: boolean,
  signal: AbortSignal,
): Promise<{ state: UnitState; fault: string | null }> {
  // The action is done, so a time-out or cancel no longer makes its outcome unknown.
  const look = (): Promise<UnitState> => unitState(unit, new AbortController().signal, LAST_LOOK_MS);
  let state = await look();
  const first = state;
  const deadline = performance.now() + SETTLE_MS;
  for (;;) {
    const fault = notAsWanted(verb, state);
    const waits = !atOnce && verb !== "stop" && NEVER_READY.has(state.type) && !signal.aborted;
    if (fault !== null || !waits || performance.now() > deadline) return { state, fault };
    await pause(LOOK_EVERY_MS);
    state = await look();
    if (state.restarts > first.restarts) {
      return { state, fault: "it ended right after it was started, and systemd is starting it again and again" };
    }
  }
}

function unread(error: unknown): ExecutorFailure {
  if (error instanceof ExecutorFailure) return error;
  throw error;
}

/** Without a state only systemctl's exit code is known: systemctl waits until systemd is done. */
function withoutState(verb: ServiceVerb, unit: string, end: ProgramEnd, why: ExecutorFailure): JsonObject {
  const output = { service: unit, activeState: "unknown", subState: "unknown", result: "unknown" };
  if (end.exitCode !== 0) {
    const full = { ...streamsOutput(end.streams, end.exitCode), ...output };
    throw failed(verb, unit, { end, fault: `its state is not known: ${why.message}`, journal: "", output: full });
  }
  const note = `\n[systemctl has finished with ${unit}, but its state afterwards is not known. ${why.message}]\n`;
  end.streams.stderr.push(new TextEncoder().encode(note));
  return { ...streamsOutput(end.streams, end.exitCode), ...output };
}

async function endedEarly(verb: ServiceVerb, unit: string, end: ProgramEnd): Promise<ExecutorFailure> {
  const state = await unitState(unit, new AbortController().signal, ABORTED_LOOK_MS).catch(() => null);
  const now = state === null ? "" : ` At that time it was ${state.active} (${state.sub}).`;
  const output = { ...streamsOutput(end.streams, null), ...(state === null ? {} : stateOutput(state)) };
  return jobEnded(
    `systemctl was ended, but systemd continues to ${verb} ${unit}, because an interrupted ${verb} would be worse.${now}`,
    output,
  );
}

function permissionDenied(verb: ServiceVerb, unit: string, end: ProgramEnd): ExecutorFailure {
  const message =
    `The agent's user may not ${verb} ${unit}: ${said(end)} Run the agent as root, or give its user a polkit rule for ` +
    "org.freedesktop.systemd1.manage-units and this unit, as the page about the connection type osService shows.";
  return new ExecutorFailure("permission_denied", message, streamsOutput(end.streams, end.exitCode));
}

function failed(
  verb: ServiceVerb,
  unit: string,
  seen: { end: ProgramEnd; fault: string | null; journal: string; output: JsonObject },
): ExecutorFailure {
  const { end, fault, journal, output } = seen;
  const why = [
    ...(fault === null ? [] : [fault]),
    ...(end.exitCode === 0 ? [] : [`systemctl ended with ${end.exitCode}: ${said(end) || "it said nothing"}`]),
  ].join("; ");
  const remedy =
    journal === ""
      ? `Its journal could not be read or is empty; read it on the machine: \`journalctl -u ${unit}\`.`
      : "The last lines of its journal are in the output, as journal.";
  const done = { start: "started", stop: "stopped", restart: "restarted" }[verb];
  const message = `${unit} was not ${done}: ${why}. ${remedy}`;
  return new ExecutorFailure("service_failed", message, journal === "" ? output : { ...output, journal });
}
