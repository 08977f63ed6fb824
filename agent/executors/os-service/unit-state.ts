import type { JsonObject } from "../../../schema/contract/json.ts";
import { listed, showUnits, SYSTEM_ACTIONS, systemActions, type UnitProperties } from "./unit-properties.ts";

export type ServiceVerb = "start" | "stop" | "restart";

const PROPERTIES = [
  "Id Names LoadState ActiveState SubState Result Type ExecMainStatus NRestarts",
  "ConditionResult ConditionTimestampMonotonic",
  ...SYSTEM_ACTIONS,
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
  /** What it can do to the whole machine, such as `FailureAction=reboot`. */
  systemActions: string[];
}

/** `signal` is the job's, `limitMs` the question's own limit. Failures: those of `showUnits`. */
export async function unitState(unit: string, signal: AbortSignal, limitMs?: number): Promise<UnitState> {
  const [properties] = await showUnits([unit], PROPERTIES, signal, limitMs);
  return readState(properties ?? new Map());
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

function readState(properties: UnitProperties): UnitState {
  const of = (name: string): string => properties.get(name) ?? "";
  return {
    id: of("Id"),
    names: listed(properties, "Names"),
    load: of("LoadState"),
    active: of("ActiveState"),
    sub: of("SubState"),
    result: of("Result"),
    type: of("Type"),
    exitStatus: of("ExecMainStatus"),
    restarts: Number(of("NRestarts")) || 0,
    conditionChecked: !["", "0"].includes(of("ConditionTimestampMonotonic")),
    conditionMet: of("ConditionResult") !== "no",
    systemActions: systemActions(properties),
  };
}
