import { readdirSync, statSync } from "node:fs";
import { processState } from "../programs/marked-processes.ts";

/** Numbers of accounts that exist for one job at a time. No system gives the first of them to anybody (systemd, "UIDS-GIDS"). */
const OWN = { first: 60_706, last: 61_183 };
/** What systemd gives away by DynamicUser=. */
export const SYSTEMDS_UIDS = { first: 61_184, last: 65_519 };

/** Whether all processes of an account belong to one job. */
export function isJobUid(uid: number): boolean {
  return uid >= OWN.first && uid <= SYSTEMDS_UIDS.last;
}

/** Those that agents give to jobs, each once: another agent on this machine takes from the same, so none is the first for all. */
export function ownJobUids(random: () => number): number[] {
  const count = OWN.last - OWN.first + 1;
  const start = Math.floor(random() * count);
  return Array.from({ length: count }, (_, index) => OWN.first + ((start + index) % count));
}

/** Those with a process that has not ended. One that only waits to be collected may wait for ever in a container. */
export function jobUidsInUse(): Set<number> {
  const living = readdirSync("/proc").flatMap((pid) => {
    const uid = /^\d+$/u.test(pid) ? statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid : undefined;
    return uid !== undefined && isJobUid(uid) && (processState(pid)?.state ?? "Z") !== "Z" ? [uid] : [];
  });
  return new Set(living);
}
