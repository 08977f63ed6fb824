import { readFileSync } from "node:fs";
import { ExecutorFailure } from "../shared/failures.ts";
import { followUnits, listed, type UnitProperties } from "./unit-properties.ts";
import type { ServiceVerb, UnitState } from "./unit-state.ts";

/** Dependencies by which a unit is stopped along with another, directly or indirectly. */
const STOPPED_WITH = ["Requires", "Requisite", "BindsTo", "PartOf", "StopPropagatedFrom"];

/**
 * Refuses to end the agent during the job: a stop of its unit or of one that this unit needs, or a start of a unit
 * that conflicts with one of these.
 */
export async function refuseOwnUnit(
  verb: ServiceVerb,
  target: UnitState,
  begun: readonly UnitProperties[],
  signal: AbortSignal,
): Promise<void> {
  const own = ownUnit();
  if (own === null) return;
  const stops = verb !== "start";
  if (stops && target.names.includes(own))
    throw ownService(verb, `${target.id} is the service that this agent runs in`);
  const chain = await followUnits(own, STOPPED_WITH, ["Names"], signal);
  const needed = new Set([own, ...chain.flatMap((unit) => listed(unit, "Names"))]);
  if (stops && target.names.some((name) => needed.has(name))) {
    throw ownService(verb, `${own}, which this agent runs in, depends on ${target.id} and would be stopped with it`);
  }
  for (const unit of begun) {
    const rivals = [...listed(unit, "Conflicts"), ...listed(unit, "ConflictedBy")];
    const rival = rivals.find((name) => needed.has(name));
    if (rival === undefined) continue;
    const why = `${unit.get("Id")} cannot run at the same time as ${rival} (Conflicts=), and ${own}, which this agent runs in, would be stopped`;
    throw ownService(
      verb,
      target.names.includes(unit.get("Id") ?? "") ? why : `${target.id} needs another unit: ${why}`,
    );
  }
}

/** The system unit of this process; null without systemd. */
export function ownUnit(cgroups: () => string = () => readFileSync("/proc/self/cgroup", "utf8")): string | null {
  try {
    return unitOfCgroup(cgroups());
  } catch {
    return null;
  }
}

/** cgroups(7): `id:controllers:path` lines. systemd's are `0::` (version 2) and `name=systemd` (version 1). */
function unitOfCgroup(text: string): string | null {
  for (const line of text.split("\n")) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/u.exec(line) ?? [];
    if (path === undefined || (controllers !== "" && controllers !== "name=systemd")) continue;
    // The unit is the first part after the slices. The parts after it are the unit's own.
    const unit = path.split("/").find((part) => part !== "" && !part.endsWith(".slice"));
    // systemd puts a _ before names that the kernel reserves.
    if (unit !== undefined && /\.(service|scope)$/u.test(unit)) return unit.replace(/^_/u, "");
  }
  return null;
}

function ownService(verb: ServiceVerb, why: string): ExecutorFailure {
  const message = `${why}: to ${verb} it would end this job, and no result would be reported. Do it from another agent, by ssh.executeCommand, or on the machine.`;
  return new ExecutorFailure("own_service", message);
}
