import type { HeldCredential } from "./judge-reported.ts";

/** The requirements on an agent's credential for a connection. */
export interface WantedCredential {
  /** Digest of the connection's target; null for a configuration of an older form, which matches no credential. */
  readonly target: string | null;
  /** The lowest version that was sealed for this target; 0 if the target was never edited. */
  readonly floor: number;
}

/** The reason why an agent's credential must not be used for its connection. */
export type TargetMismatch = "other_target" | "unbound" | "delivered_before";

/**
 * The reason why an agent's credential is not for the connection's present target; null when it is. An older agent
 * reports no target and uses its credential wherever the connection leads, so the version decides.
 */
export function targetMismatch({ version, target }: HeldCredential, wanted: WantedCredential): TargetMismatch | null {
  if (target === undefined) return version >= wanted.floor ? null : "delivered_before";
  if (target === null) return "unbound";
  return target === wanted.target ? null : "other_target";
}

/**
 * The lowest version that counts as sealed for the connection's present target. An edit skips a version for every agent
 * (`raiseTargetFloors`), so a credential that is being sealed for the former target during the edit is below it.
 */
export function targetFloor(
  { targetEdits }: { targetEdits: number },
  credential: { targetFloor: number } | null,
): number {
  return targetEdits === 0 ? 0 : Math.max(targetEdits + 1, credential?.targetFloor ?? 0);
}

/** The version of the next delivery to an agent. */
export function nextVersion(
  connection: { targetEdits: number },
  credential: { version: number; targetFloor: number } | null,
): number {
  return Math.max((credential?.version ?? 0) + 1, targetFloor(connection, credential));
}
