import type { CredentialTarget } from "../../../../schema/contract/credential-target.ts";
import { canonicalTarget, credentialTargetSchema } from "../../../../schema/contract/credential-target.ts";
import type { Store } from "./compared.ts";

/** The storage key of the targets, by connection, that a person confirmed with the last delivery in this browser. */
const KEY = "bellhop-confirmed-targets";

export interface TargetState {
  /** A person confirmed the target just now or with an earlier delivery. */
  isConfirmed: boolean;
  /** The target that was confirmed before, when the target has changed since. */
  former: CredentialTarget | null;
}

/**
 * Whether a target is confirmed in a delivery. `decided` is the target that was shown when a person ticked or unticked
 * the agent. A different target is not confirmed.
 */
export function targetStateOf(
  connectionId: string,
  target: CredentialTarget,
  decided: CredentialTarget | undefined,
  store: Store,
): TargetState {
  const before = decided ?? read(store)[connectionId];
  const isConfirmed = before !== undefined && canonicalTarget(before) === canonicalTarget(target);
  return { isConfirmed, former: before === undefined || isConfirmed ? null : before };
}

export function rememberTarget(connectionId: string, target: CredentialTarget, store: Store): void {
  try {
    store.setItem(KEY, JSON.stringify({ ...read(store), [connectionId]: target }));
  } catch {
    // Without storage the next delivery asks again.
  }
}

function read(store: Store): Record<string, CredentialTarget> {
  try {
    const kept: unknown = JSON.parse(store.getItem(KEY) ?? "{}");
    const entries = typeof kept === "object" && kept !== null ? Object.entries(kept) : [];
    return Object.fromEntries(
      entries.flatMap(([id, value]) => {
        const { data } = credentialTargetSchema.safeParse(value);
        return data === undefined ? [] : [[id, data]];
      }),
    );
  } catch {
    return {};
  }
}
