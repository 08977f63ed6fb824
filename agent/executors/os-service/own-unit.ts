import { readFileSync } from "node:fs";
import { ExecutorFailure } from "../shared/failures.ts";
import { askSystemctl } from "./systemd.ts";
import type { ServiceVerb, UnitState } from "./unit-state.ts";

/** Refuses what would end the agent in the middle of the job: its own unit, or one that its unit cannot be without. */
export async function refuseOwnUnit(verb: ServiceVerb, target: UnitState, signal: AbortSignal): Promise<void> {
  const own = ownUnit();
  if (verb === "start" || own === null) return;
  if (target.names.includes(own)) throw ownService(verb, `${target.id} is the service that this agent runs in`);
  const end = await askSystemctl(["show", "--property=Requires,BindsTo,PartOf", "--", own], signal);
  const listed = end.streams.stdout.read().text.split(/[\s=]+/u);
  if (target.names.some((name) => listed.includes(name))) {
    throw ownService(verb, `${own}, which this agent runs in, depends on ${target.id} and would be stopped with it`);
  }
}

/** The system unit that holds this process; null outside of systemd. */
export function ownUnit(cgroups: () => string = () => readFileSync("/proc/self/cgroup", "utf8")): string | null {
  try {
    return unitOfCgroup(cgroups());
  } catch {
    return null;
  }
}

/** cgroups(7): `id:controllers:path` lines; systemd's are `0::` (version 2) and `name=systemd` (version 1). */
function unitOfCgroup(text: string): string | null {
  for (const line of text.split("\n")) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/u.exec(line) ?? [];
    if (path === undefined || (controllers !== "" && controllers !== "name=systemd")) continue;
    // What follows slices is the unit; what follows the unit is its own business.
    const unit = path.split("/").find((part) => part !== "" && !part.endsWith(".slice"));
    // systemd puts a _ before names that the kernel keeps for itself.
    if (unit !== undefined && /\.(service|scope)$/u.test(unit)) return unit.replace(/^_/u, "");
  }
  return null;
}

function ownService(verb: ServiceVerb, why: string): ExecutorFailure {
  const message = `${why}: to ${verb} it would end this job and leave nobody to report it. Do it from another agent, by ssh.executeCommand, or on the machine.`;
  return new ExecutorFailure("own_service", message);
}
