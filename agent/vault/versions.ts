import type { Contents } from "./entries.ts";

/** What the vault holds for a connection once a delivery or a withdrawal is done. */
export interface HeldCredential {
  state: "present" | "absent";
  version: number;
}

/** Enough for every connection that a service deletes within a day, and nothing that fills a disk. */
const WITHDRAWN_MAX = 1_000;

/**
 * What stands against taking a delivered version: this one or a newer one is here, or was taken away. Deliveries may
 * come late, twice and in any order (docs/design/credentials.md#versions). Null: nothing does.
 */
export function unlessDeliverable(contents: Contents, connectionId: string, version: number): HeldCredential | null {
  const held = contents.credentials.get(connectionId)?.stored.version;
  if (held !== undefined && held >= version) return { state: "present", version: held };
  const gone = contents.withdrawn.get(connectionId);
  if (gone === undefined || gone < version) return null;
  // Someone may have put another one in by hand since then.
  return held === undefined ? { state: "absent", version: gone } : { state: "present", version: held };
}

/** What stands against taking a version away: a newer one is here, or there is nothing left to do. */
export function unlessWithdrawable(contents: Contents, connectionId: string, version: number): HeldCredential | null {
  const held = contents.credentials.get(connectionId)?.stored.version;
  if (held !== undefined) return held > version ? { state: "present", version: held } : null;
  const gone = contents.withdrawn.get(connectionId) ?? 0;
  return gone >= version ? { state: "absent", version: gone } : null;
}

/** Remembers that a version was taken away; the oldest of too many are forgotten. */
export function noteWithdrawn(withdrawn: Map<string, number>, connectionId: string, version: number): void {
  const known = withdrawn.get(connectionId) ?? 0;
  withdrawn.delete(connectionId);
  withdrawn.set(connectionId, Math.max(known, version));
  for (const oldest of withdrawn.keys()) {
    if (withdrawn.size <= WITHDRAWN_MAX) return;
    withdrawn.delete(oldest);
  }
}
