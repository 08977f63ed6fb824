import { ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { askSystemctl, QUESTION_TIMEOUT_MS, said } from "./systemd.ts";

/** systemd.unit(5): actions on the whole machine when a unit succeeds, fails, or starts too often or too slowly. */
export const SYSTEM_ACTIONS = ["SuccessAction", "FailureAction", "StartLimitAction", "JobTimeoutAction"] as const;
/** The limit of units in a walk over dependencies. A service needs a few dozen at most. */
const WALK_MAX_UNITS = 500;

/**
 * Properties by name, as `systemctl show` prints them. Properties that the unit's type or this systemd does not have
 * are missing.
 */
export type UnitProperties = ReadonlyMap<string, string>;

/**
 * The properties of units, in their order. `signal` is the job's, `limitMs` limits the query. Throws `job_ended`, or
 * `service_failed` when systemd does not answer.
 */
export async function showUnits(
  units: readonly string[],
  names: readonly string[],
  signal: AbortSignal,
  limitMs = QUESTION_TIMEOUT_MS,
): Promise<UnitProperties[]> {
  const end = await askSystemctl(["show", `--property=${names.join(",")}`, "--", ...units], signal, limitMs);
  const whose = units.length === 1 ? units.join("") : `${units.length} units`;
  if (end.aborted && signal.aborted) throw jobEnded(`It was still asking for the state of ${whose}.`);
  if (end.aborted || end.exitCode !== 0) {
    const why = end.aborted ? "systemctl gave no answer within its time" : `systemctl says: ${said(end)}`;
    throw new ExecutorFailure(
      "service_failed",
      `The state of ${whose} could not be read: ${why}. Run systemctl status on the host.`,
    );
  }
  return end.streams.stdout.read().text.split(/\n\n+/u).map(readProperties);
}

/** The unit and the units that it leads to along these dependencies, as far as `follows` allows; one query a level. */
export async function followUnits(
  unit: string,
  along: readonly string[],
  names: readonly string[],
  signal: AbortSignal,
  follows: (unit: UnitProperties) => boolean = () => true,
): Promise<UnitProperties[]> {
  const seen = new Set<string>();
  const found: UnitProperties[] = [];
  for (let level = [unit]; level.length > 0;) {
    for (const name of level) seen.add(name);
    const units = (await showUnits(level, [...along, ...names], signal)).filter(follows);
    found.push(...units);
    const next = new Set(units.flatMap((shown) => along.flatMap((dependency) => listed(shown, dependency))));
    level = [...next].filter((name) => !seen.has(name)).slice(0, WALK_MAX_UNITS - seen.size);
  }
  return found;
}

/** A property that is a list of units. */
export function listed(unit: UnitProperties, name: string): string[] {
  return (unit.get(name) ?? "").split(" ").filter((word) => word !== "");
}

/** The unit's actions on the whole machine, such as `FailureAction=reboot`. */
export function systemActions(unit: UnitProperties): string[] {
  return SYSTEM_ACTIONS.filter((name) => !["", "none"].includes(unit.get(name) ?? "")).map(
    (name) => `${name}=${unit.get(name)}`,
  );
}

function readProperties(text: string): UnitProperties {
  return new Map(
    text.split("\n").map((line): [string, string] => {
      const at = line.indexOf("=");
      return [line.slice(0, Math.max(0, at)), line.slice(at + 1)];
    }),
  );
}
