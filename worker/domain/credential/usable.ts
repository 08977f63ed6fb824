import type { HeldCredential } from "./judge-told.ts";

/** What a connection's credential must be like, for an agent to use it. */
export interface WantedCredential {
  /** Digest of the connection's target; null for a configuration of an older form, which no digest equals. */
  readonly target: string | null;
  /** The lowest version that was sealed for this target; 0 while the target was never edited. */
  readonly floor: number;
}

/** Why an agent's credential must not be used for its connection. */
export type TargetMismatch = "other_target" | "unbound" | "delivered_before";

/**
 * Why what an agent holds is not for the connection's present target; null when it is. An older agent does not report a
 * target, and uses what it has wherever the connection leads: there the version decides.
 */
export function targetMismatch({ version, target }: HeldCredential, wanted: WantedCredential): TargetMismatch | null {
  if (target === undefined) return version >= wanted.floor ? null : "delivered_before";
  if (target === null) return "unbound";
  return target === wanted.target ? null : "other_target";
}

/**
 * The lowest version that counts as sealed for the connection's present target. An edit skips a version for every agent
 * (`raiseTargetFloors`), so what is being sealed for the former target while it is edited is below.
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
