import type { CredentialStatus } from "../../../schema/contract/credential.ts";

/**
 * The wanted state of one connection's credential on one agent (docs/design/credentials.md#what-agents-report), with
 * what the service knows of both.
 */
export interface DesiredCredential {
  readonly connectionId: string;
  readonly state: "present" | "absent";
  readonly version: number;
  readonly status: CredentialStatus;
  /** The agent's last report; null while it has acknowledged `version` and reported nothing since. */
  readonly reported: HeldCredential | null;
  /** Whether ciphertext waits for the agent. */
  readonly sealed: boolean;
  readonly connectionExists: boolean;
  /** Whether the agent runs this connection's jobs. */
  readonly isRecipient: boolean;
}

/** A change of a credential's record after its agent's report. */
export type ReportedChange =
  /** The agent has it; `version` is at least the agent's. `targetMismatch` decides whether it may be used. */
  | {
      readonly type: "reached";
      readonly connectionId: string;
      readonly version: number;
      readonly held: HeldCredential | null;
    }
  /** The agent had it and lost it: a person must deliver it again. */
  | { readonly type: "lost"; readonly connectionId: string }
  /** It was set and deleted on the agent's machine: the record goes. */
  | { readonly type: "forget"; readonly connectionId: string }
  /** It must be withdrawn from the agent, under this version. */
  | { readonly type: "withdraw"; readonly connectionId: string; readonly version: number }
  /** A person set it on the agent's machine. */
  | { readonly type: "adopt"; readonly connectionId: string; readonly held: HeldCredential };

/** A credential as its agent reports it. */
export interface HeldCredential {
  /** 0 for a credential that was set on the agent's machine and never delivered by the service. */
  readonly version: number;
  /** Digest of its bound target; null when it is not bound; absent from older agents. */
  readonly target?: string | null | undefined;
  /** When it was last delivered, set or bound, by the agent's clock; absent from older agents. */
  readonly changedAt?: string | undefined;
}

/** An agent's credentials, by connection. */
export type HeldCredentials = ReadonlyMap<string, HeldCredential>;

/**
 * Compares an agent's credentials with the wanted ones. `known` are the existing connections among the reported ones
 * without a record; credentials of unknown connections are ignored.
 */
export function judgeReported(
  desired: readonly DesiredCredential[],
  reported: HeldCredentials,
  known: ReadonlySet<string>,
): ReportedChange[] {
  const recorded = new Set(desired.map(({ connectionId }) => connectionId));
  const adopted = [...reported].flatMap(([connectionId, held]): ReportedChange[] =>
    !recorded.has(connectionId) && known.has(connectionId) ? [{ type: "adopt", connectionId, held }] : [],
  );
  const judged = desired.flatMap((row): ReportedChange[] => {
    const held = reported.get(row.connectionId);
    return row.state === "present" ? judgePresent(row, held) : judgeAbsent(row, held);
  });
  return [...judged, ...adopted];
}

function judgePresent(row: DesiredCredential, held: HeldCredential | undefined): ReportedChange[] {
  const { connectionId } = row;
  const reported = held?.version;
  // The delivery came right after the deletion of its connection.
  if (!row.connectionExists)
    return [{ type: "withdraw", connectionId, version: Math.max(row.version, reported ?? 0) + 1 }];
  // A credential set by hand has no version; it counts unless a newer one is on its way.
  const isThere =
    held !== undefined &&
    (held.version >= row.version || (!row.sealed && (held.version === 0 || isKeptInstead(row, held))));
  if (!isThere) {
    // Only a delivered credential can have been deleted by hand: after a new key, the delivery is still to come.
    if (row.status !== "delivered") return [];
    return [{ type: reported === undefined && row.version === 0 ? "forget" : "lost", connectionId }];
  }
  const version = Math.max(row.version, held.version);
  const isSame = version === row.version && isSameHeld(held, row.reported ?? { version });
  const isKnown = row.status === "delivered" && !row.sealed && isSame;
  return isKnown ? [] : [{ type: "reached", connectionId, version, held }];
}

/** Whether a person set, bound or deleted it on the agent's machine: it changed without a delivery or a withdrawal. */
export function isDoneThere(
  change: ReportedChange,
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
 * Whether an earlier version counts instead of a delivery that the agent refused, because a person has bound or set it
 * on the agent's machine since.
 */
function isKeptInstead({ status, reported }: DesiredCredential, held: HeldCredential): boolean {
  if (reported === null || reported.version !== held.version) return false;
  return status === "delivered" || (status === "failed" && isChangedThere(held, reported));
}

/** An updated agent reports more fields than before, which is no change of its credential. */
function isChangedThere(held: HeldCredential, reported: HeldCredential): boolean {
  const differs = (one: unknown, other: unknown) => one !== undefined && other !== undefined && one !== other;
  return (
    held.version !== reported.version ||
    differs(held.target, reported.target) ||
    differs(held.changedAt, reported.changedAt)
  );
}

function judgeAbsent(row: DesiredCredential, held: HeldCredential | undefined): ReportedChange[] {
  const { connectionId, version } = row;
  if (held === undefined) {
    return row.status === "delivered" ? [] : [{ type: "reached", connectionId, version, held: null }];
  }
  const reported = held.version;
  // A version newer than the withdrawal would survive it.
  if (reported > version) return [{ type: "withdraw", connectionId, version: reported + 1 }];
  if (!row.connectionExists || reported > 0) {
    return row.status === "delivered" ? [{ type: "withdraw", connectionId, version }] : [];
  }
  // Set by hand, after the service had withdrawn its own.
  return row.isRecipient && row.status === "delivered" ? [{ type: "adopt", connectionId, held }] : [];
}
