import type { CredentialStatus } from "../../../schema/contract/credential.ts";

/**
 * What the service wants of one connection's credential on one agent (docs/design/credentials.md#what-agents-report),
 * with what it knows of both.
 */
export interface DesiredCredential {
  readonly connectionId: string;
  readonly state: "present" | "absent";
  readonly version: number;
  readonly status: CredentialStatus;
  /** What the agent last reported; null while it has acknowledged `version` and reported nothing since. */
  readonly reported: HeldCredential | null;
  /** Whether ciphertext for the agent waits. */
  readonly sealed: boolean;
  readonly connectionExists: boolean;
  /** Whether the agent is one of those that run this connection's jobs. */
  readonly isRecipient: boolean;
}

/** How the record of a credential changes, because of what its agent said it has. */
export type ToldChange =
  /** The agent has it; `version` is never below what it has. Whether it may be used is another matter (`targetMismatch`). */
  | {
      readonly type: "reached";
      readonly connectionId: string;
      readonly version: number;
      readonly held: HeldCredential | null;
    }
  /** It had it, and has it no more: somebody must deliver it again. */
  | { readonly type: "lost"; readonly connectionId: string }
  /** It was put in by hand, and taken out by hand: as if it had never been. */
  | { readonly type: "forget"; readonly connectionId: string }
  /** It is to be taken away from the agent, under this version. */
  | { readonly type: "withdraw"; readonly connectionId: string; readonly version: number }
  /** Somebody put it in on the agent's own machine. */
  | { readonly type: "adopt"; readonly connectionId: string; readonly held: HeldCredential };

/** A credential as its agent reports it. */
export interface HeldCredential {
  /** 0 when it was put in on the agent's machine, and never came through the service. */
  readonly version: number;
  /** Digest of the target that it is bound to; null when it is bound to none; absent from older agents. */
  readonly target?: string | null | undefined;
  /** When it was last delivered, set or bound, by the agent's clock; absent from older agents. */
  readonly changedAt?: string | undefined;
}

/** What an agent has, by connection. */
export type HeldCredentials = ReadonlyMap<string, HeldCredential>;

/**
 * Compares what an agent has with what it should have. `known` are the connections that exist, among those that it
 * told and that have no record yet; what belongs to no connection is somebody's own business.
 */
export function judgeTold(
  desired: readonly DesiredCredential[],
  told: HeldCredentials,
  known: ReadonlySet<string>,
): ToldChange[] {
  const recorded = new Set(desired.map(({ connectionId }) => connectionId));
  const adopted = [...told].flatMap(([connectionId, held]): ToldChange[] =>
    !recorded.has(connectionId) && known.has(connectionId) ? [{ type: "adopt", connectionId, held }] : [],
  );
  const judged = desired.flatMap((row): ToldChange[] => {
    const held = told.get(row.connectionId);
    return row.state === "present" ? judgePresent(row, held) : judgeAbsent(row, held);
  });
  return [...judged, ...adopted];
}

function judgePresent(row: DesiredCredential, held: HeldCredential | undefined): ToldChange[] {
  const { connectionId } = row;
  const told = held?.version;
  // A delivery that came right behind the deletion of its connection.
  if (!row.connectionExists) return [{ type: "withdraw", connectionId, version: Math.max(row.version, told ?? 0) + 1 }];
  // A credential put in by hand carries no version; it counts unless a newer one is on its way.
  const isThere =
    held !== undefined &&
    (held.version >= row.version || (!row.sealed && (held.version === 0 || isKeptInstead(row, held))));
  if (!isThere) {
    // Only what stood there as delivered was taken out by hand: after a new key, the agent has yet to be given it again.
    if (row.status !== "delivered") return [];
    return [{ type: told === undefined && row.version === 0 ? "forget" : "lost", connectionId }];
  }
  const version = Math.max(row.version, held.version);
  const isSame = version === row.version && isSameHeld(held, row.reported ?? { version });
  const isKnown = row.status === "delivered" && !row.sealed && isSame;
  return isKnown ? [] : [{ type: "reached", connectionId, version, held }];
}

/** Whether a person set, bound or deleted it on the agent's machine: it changed there without a delivery or a withdrawal. */
export function isDoneThere(
  change: ToldChange,
  row: Pick<DesiredCredential, "reported" | "sealed"> | undefined,
): boolean {
  switch (change.type) {
    case "adopt":
    case "lost":
    case "forget":
      return true;
    case "withdraw":
      return false;
    case "reached": {
      const { held } = change;
      if (held === null || row === undefined || row.sealed) return false;
      return row.reported === null ? held.version === 0 : isChangedThere(held, row.reported);
    }
  }
}

export function isSameHeld(one: HeldCredential, other: HeldCredential): boolean {
  return one.version === other.version && one.target === other.target && one.changedAt === other.changedAt;
}

/**
 * Whether an earlier version counts instead of a delivery that the agent refused: a person has bound or set it on the
 * agent's machine since.
 */
function isKeptInstead({ status, reported }: DesiredCredential, held: HeldCredential): boolean {
  if (reported === null || reported.version !== held.version) return false;
  return status === "delivered" || (status === "failed" && isChangedThere(held, reported));
}

/** An agent that was updated reports more than before, which is no change of its credential. */
function isChangedThere(held: HeldCredential, reported: HeldCredential): boolean {
  const differs = (one: unknown, other: unknown) => one !== undefined && other !== undefined && one !== other;
  return (
    held.version !== reported.version ||
    differs(held.target, reported.target) ||
    differs(held.changedAt, reported.changedAt)
  );
}

function judgeAbsent(row: DesiredCredential, held: HeldCredential | undefined): ToldChange[] {
  const { connectionId, version } = row;
  if (held === undefined) {
    return row.status === "delivered" ? [] : [{ type: "reached", connectionId, version, held: null }];
  }
  const told = held.version;
  // One that is newer than the withdrawal would survive it.
  if (told > version) return [{ type: "withdraw", connectionId, version: told + 1 }];
  if (!row.connectionExists || told > 0) {
    return row.status === "delivered" ? [{ type: "withdraw", connectionId, version }] : [];
  }
  // Put in by hand, after the service had taken its own away.
  return row.isRecipient && row.status === "delivered" ? [{ type: "adopt", connectionId, held }] : [];
}
