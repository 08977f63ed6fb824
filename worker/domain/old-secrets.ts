import type { OldSecret } from "../../schema/contract/webhook-verification.ts";

/** As libSQL and gates store them; earlier versions stored one. */
export type StoredOldSecrets = OldSecret | readonly OldSecret[] | null | undefined;

/** The old secrets that are still valid, the latest replaced first. */
export function validOldSecrets(stored: StoredOldSecrets, now: number): readonly OldSecret[] {
  return [stored ?? []].flat().filter(({ until }) => until > now);
}

/** Until when any of them is valid; null for none. */
export function lastUntil(valid: readonly OldSecret[]): number | null {
  return valid.length === 0 ? null : Math.max(...valid.map(({ until }) => until));
}
