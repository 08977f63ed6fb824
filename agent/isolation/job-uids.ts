import { readdirSync, statSync } from "node:fs";
import { processState } from "../programs/marked-processes.ts";

/** Account numbers that agents give to one job at a time. No system assigns them (systemd, "UIDS-GIDS"). */
const OWN = { first: 60_706, last: 61_183 };
/** The range that systemd uses for DynamicUser=. */
export const SYSTEMDS_UIDS = { first: 61_184, last: 65_519 };

/** Whether all processes of an account belong to one job. */
export function isJobUid(uid: number): boolean {
  return uid >= OWN.first && uid <= SYSTEMDS_UIDS.last;
}

/** All numbers for jobs, each once, from a random start: other agents on this machine use the same range. */
export function ownJobUids(random: () => number): number[] {
  const count = OWN.last - OWN.first + 1;
  const start = Math.floor(random() * count);
  return Array.from({ length: count }, (_, index) => OWN.first + ((start + index) % count));
}

/** Numbers with a living process. A zombie does not count: in a container it may never be collected. */
export function jobUidsInUse(): Set<number> {
  const living = readdirSync("/proc").flatMap((pid) => {
    const uid = /^\d+$/u.test(pid) ? statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid : undefined;
    return uid !== undefined && isJobUid(uid) && (processState(pid)?.state ?? "Z") !== "Z" ? [uid] : [];
  });
  return new Set(living);
}
