import type { Log } from "../log.ts";
import type { CredentialSummary } from "./entries.ts";

export const OTHER_KEY = "belongs to another agent key, as after its key was regenerated,";

/** A vault, or a part of one, that did not open. */
export interface LostCredentials {
  movedTo: string;
  connectionIds: string[];
}

/** Logs what was lost and what to do about it. */
export function logLost(log: Log, lost: LostCredentials, why: string): LostCredentials {
  const { movedTo, connectionIds: connections } = lost;
  const toDo =
    connections.length === 0 && why === OTHER_KEY
      ? "it held no credentials, so there is nothing to do"
      : "deliver the credentials of these connections again (npm run deliver, or bellhop-agent credentials set)";
  const text = `the vault ${why} and was moved aside: ${toDo}`;
  // A regenerated key is no fault. Damage is one.
  if (why === OTHER_KEY) log.warning(text, { movedTo, connections });
  else log.error(text, { movedTo, connections });
  return lost;
}

/** Logs unbound credentials: those that an older agent wrote, and those that a person stored without a target. */
export function logUnbound(log: Log, credentials: readonly CredentialSummary[]): void {
  const connections = credentials.flatMap(({ connectionId, unbound }) => (unbound === true ? [connectionId] : []));
  if (connections.length === 0) return;
  const toDo = "deliver them again, or test each connection and run bellhop-agent credentials bind <id>";
  log.warning(`the vault holds credentials without a target, which no job can use: ${toDo}`, { connections });
}
