import { ExecutorFailure } from "../shared/failures.ts";
import { changesSystemState } from "./unit-name.ts";
import { followUnits, listed, SYSTEM_ACTIONS, systemActions, type UnitProperties } from "./unit-properties.ts";
import type { ServiceVerb, UnitState } from "./unit-state.ts";

/** Dependencies that start along with a unit. */
const STARTED_WITH = ["Requires", "BindsTo", "Wants", "Upholds"];
const PROPERTIES = ["Id", "Names", "ActiveState", "Conflicts", "ConflictedBy", ...SYSTEM_ACTIONS];

/**
 * The unit and the units that start with it; none for a stop. systemd does not start an active unit or its
 * dependencies. Throws `os_restart_not_allowed` when one of the units may restart, end or suspend the machine.
 */
export async function begunUnits(
  verb: ServiceVerb,
  target: UnitState,
  signal: AbortSignal,
): Promise<readonly UnitProperties[]> {
  if (verb === "stop") return [];
  const begins = (unit: UnitProperties): boolean =>
    unit.get("Id") === target.id || unit.get("ActiveState") !== "active";
  const begun = await followUnits(target.id, STARTED_WITH, PROPERTIES, signal, begins);
  const mover = begun.find((unit) => changesSystemState(listed(unit, "Names"), systemActions(unit)));
  if (mover !== undefined) {
    throw movesSystem(`${target.id} would start ${mover.get("Id")} as well, which`, systemActions(mover));
  }
  return begun;
}

/** The failure for a unit that restarts or ends the machine, by its nature or by its settings. */
export function movesSystem(what: string, actions: readonly string[]): ExecutorFailure {
  const does =
    actions.length === 0
      ? "restarts, ends or suspends the machine"
      : `can restart or end the machine (${actions.join(", ")})`;
  const message = `${what} ${does}. It is not controlled as a service; os.restartOS restarts the machine where ALLOW_OS_RESTART allows it.`;
  return new ExecutorFailure("os_restart_not_allowed", message);
}
