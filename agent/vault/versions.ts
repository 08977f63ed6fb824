import type { Contents } from "./entries.ts";

/** What the vault holds for a connection after a delivery or a withdrawal. */
export interface HeldCredential {
  state: "present" | "absent";
  version: number;
}

/** Enough for every connection that a service deletes within a day, and small on disk. */
const WITHDRAWN_MAX = 1_000;

/**
 * Why a delivered version must not be stored: the same or a newer one is here, or was withdrawn
 * (docs/design/credentials.md#versions). Null: store it.
 */
export function unlessDeliverable(contents: Contents, connectionId: string, version: number): HeldCredential | null {
  const held = contents.credentials.get(connectionId)?.stored.version;
  if (held !== undefined && held >= version) return { state: "present", version: held };
  const gone = contents.withdrawn.get(connectionId);
  if (gone === undefined || gone < version) return null;
  // A person may have stored another one since then.
  return held === undefined ? { state: "absent", version: gone } : { state: "present", version: held };
}

/** Why a version must not be withdrawn: a newer one is here, or there is nothing left to remove. Null: withdraw it. */
export function unlessWithdrawable(contents: Contents, connectionId: string, version: number): HeldCredential | null {
  const held = contents.credentials.get(connectionId)?.stored.version;
  if (held !== undefined) return held > version ? { state: "present", version: held } : null;
  const gone = contents.withdrawn.get(connectionId) ?? 0;
  return gone >= version ? { state: "absent", version: gone } : null;
}

/** Remembers a withdrawn version. Above the limit the oldest are forgotten. */
export function noteWithdrawn(withdrawn: Map<string, number>, connectionId: string, version: number): void {
  const known = withdrawn.get(connectionId) ?? 0;
  withdrawn.delete(connectionId);
  withdrawn.set(connectionId, Math.max(known, version));
  for (const oldest of withdrawn.keys()) {
    if (withdrawn.size <= WITHDRAWN_MAX) return;
    withdrawn.delete(oldest);
  }
}
