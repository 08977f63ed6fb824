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

/** systemd's view of a unit. Properties that its type does not have are empty. */
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
  /** Its actions on the whole machine, such as `FailureAction=reboot`. */
  systemActions: string[];
}

/** `signal` is the job's, `limitMs` limits the query. Throws the errors of `showUnits`. */
export async function unitState(unit: string, signal: AbortSignal, limitMs?: number): Promise<UnitState> {
  const [properties] = await showUnits([unit], PROPERTIES, signal, limitMs);
  return readState(properties ?? new Map());
}

/** The part of an action's output that describes the unit. */
export function stateOutput(state: UnitState): JsonObject {
  return { service: state.id, activeState: state.active, subState: state.sub, result: state.result };
}

/** Why the unit is not in the wanted state; null when it is. */
export function notAsWanted(verb: ServiceVerb, state: UnitState): string | null {
  if (verb === "stop") {
    return ["inactive", "failed"].includes(state.active) ? null : `it is ${state.active} (${state.sub})`;
  }
  if (state.active === "active" || state.active === "reloading") return null;
  const condition = "a condition of the unit (Condition…=) is not met";
  if (state.conditionChecked && !state.conditionMet) return `systemd skipped it, because ${condition}`;
  if (state.active === "inactive" && state.result === "success") {
    // systemd forgets the result of an inactive unit. Then only its type and systemctl's exit code are known.
    if (state.type === "oneshot") return null;
    return `it is not running: it ended without an error, or ${condition}`;
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
