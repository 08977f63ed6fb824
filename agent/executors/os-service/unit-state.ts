import type { JsonObject } from "../../../schema/contract/json.ts";
import { ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { askSystemctl, said } from "./systemd.ts";

export type ServiceVerb = "start" | "stop" | "restart";

const PROPERTIES = [
  "Id Names LoadState ActiveState SubState Result Type ExecMainStatus NRestarts",
  "ConditionResult ConditionTimestampMonotonic SuccessAction",
]
  .join(" ")
  .split(" ");

/** What systemd knows of a unit; properties that its type does not have are empty. */
export interface UnitState {
  id: string;
  names: string[];
  /** loaded, not-found, masked, bad-setting, error … */
  load: string;
  /** active, reloading, inactive, failed, activating, deactivating. */
  active: string;
  sub: string;
  /** success, exit-code, signal, timeout, start-limit-hit … */
  result: string;
  type: string;
  exitStatus: string;
  restarts: number;
  conditionChecked: boolean;
  conditionMet: boolean;
  successAction: string;
}

export async function unitState(unit: string, signal: AbortSignal): Promise<UnitState> {
  const end = await askSystemctl(["show", `--property=${PROPERTIES.join(",")}`, "--", unit], signal);
  if (end.aborted && signal.aborted) throw jobEnded(`It was still asking for the state of ${unit}.`);
  if (end.aborted || end.exitCode !== 0) {
    const why = end.aborted ? "systemctl gave no answer within its time" : `systemctl says: ${said(end)}`;
    throw new ExecutorFailure("service_failed", `The state of ${unit} could not be read: ${why}.`);
  }
  return readState(end.streams.stdout.read().text);
}

/** What a unit's state adds to an action's output. */
export function stateOutput(state: UnitState): JsonObject {
  return { service: state.id, activeState: state.active, subState: state.sub, result: state.result };
}

/** Why the unit is not as the action wanted it; null when it is. */
export function notAsWanted(verb: ServiceVerb, state: UnitState): string | null {
  if (verb === "stop") {
    return ["inactive", "failed"].includes(state.active) ? null : `it is ${state.active} (${state.sub})`;
  }
  if (state.active === "active" || state.active === "reloading") return null;
  const condition = "a condition of the unit (Condition…=) is not met";
  if (state.conditionChecked && !state.conditionMet) return `systemd skipped it, because ${condition}`;
  if (state.active === "inactive" && state.result === "success") {
    // systemd forgets what an inactive unit did; then its type is all there is to go by, and systemctl's own word.
    if (state.type === "oneshot") return null;
    return `it is not running: it ended by itself, without an error, or ${condition}`;
  }
  const status = state.exitStatus === "" || state.exitStatus === "0" ? "" : `, exit status ${state.exitStatus}`;
  return `it is ${state.active} (${state.sub}; result ${state.result}${status})`;
}

function readState(text: string): UnitState {
  const properties = new Map(
    text.split("\n").map((line): [string, string] => {
      const at = line.indexOf("=");
      return [line.slice(0, Math.max(0, at)), line.slice(at + 1)];
    }),
  );
  const of = (name: string): string => properties.get(name) ?? "";
  return {
    id: of("Id"),
    names: of("Names").split(" "),
    load: of("LoadState"),
    active: of("ActiveState"),
    sub: of("SubState"),
    result: of("Result"),
    type: of("Type"),
    exitStatus: of("ExecMainStatus"),
    restarts: Number(of("NRestarts")) || 0,
    conditionChecked: !["", "0"].includes(of("ConditionTimestampMonotonic")),
    conditionMet: of("ConditionResult") !== "no",
    successAction: of("SuccessAction"),
  };
}
