import type { CredentialTarget } from "../../../../schema/contract/credential-target.ts";
import { canonicalTarget, credentialTargetSchema } from "../../../../schema/contract/credential-target.ts";
import type { Store } from "./confirmed.ts";

/** By connection, the target that a person confirmed in this browser with the last delivery. */
const KEY = "bellhop-confirmed-targets";

export interface TargetStanding {
  /** It was confirmed: just now, or with an earlier delivery. */
  isConfirmed: boolean;
  /** The one that was confirmed before, where another one is here now. */
  former: CredentialTarget | null;
}

/**
 * Whether a target is confirmed in a delivery. `decided` is the one that was shown when a person ticked or unticked the agent: when
 * it is another one by now, this one is not confirmed.
 */
export function targetStandingOf(
  connectionId: string,
  target: CredentialTarget,
  decided?: CredentialTarget,
  store: Store = localStorage,
): TargetStanding {
  const before = decided ?? read(store)[connectionId];
  const isConfirmed = before !== undefined && canonicalTarget(before) === canonicalTarget(target);
  return { isConfirmed, former: before === undefined || isConfirmed ? null : before };
}

export function rememberTarget(connectionId: string, target: CredentialTarget, store: Store = localStorage): void {
  try {
    store.setItem(KEY, JSON.stringify({ ...read(store), [connectionId]: target }));
  } catch {
    // A browser that keeps nothing asks again next time.
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
