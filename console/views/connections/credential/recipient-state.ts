import { comparedBefore, comparisonOf } from "./confirmed.ts";
import type { Comparison, Store } from "./confirmed.ts";

/** A person's choice for an agent in this delivery. It counts for the fingerprint that was shown then, and no other. */
export interface Decision {
  fingerprint: string;
  chosen: boolean;
  /** The fingerprint that was replaced by this one; null when this one was the first. */
  former: string | null;
}

/** An agent's state in a delivery. */
export interface RecipientState {
  /** The service's fingerprint does not match the key that it sent. */
  isForged: boolean;
  comparison: Comparison;
  /** The fingerprint that was compared before, when the fingerprint has changed since. */
  former: string | null;
  /** The credential will be delivered to the agent. */
  chosen: boolean;
}

interface Named {
  agentId: string;
  fingerprint: string;
  computed: string;
}

/**
 * A choice counts only for the fingerprint that was shown. The recipients are read again after a refused delivery. A key
 * that changed meanwhile was not compared: the agent is not chosen, and the card shows the change.
 */
export function recipientStateOf(
  { agentId, fingerprint, computed }: Named,
  decision?: Decision,
  store?: Store,
): RecipientState {
  const isForged = computed !== fingerprint;
  const kept = comparisonOf(agentId, computed, store);
  if (decision === undefined || (decision.fingerprint !== computed && !decision.chosen)) {
    const former = kept === "changed" ? comparedBefore(agentId, store) : null;
    return { isForged, comparison: kept, former, chosen: !isForged && kept === "compared" };
  }
  if (decision.fingerprint !== computed) {
    return { isForged, comparison: "changed", former: decision.fingerprint, chosen: false };
  }
  const comparison = decision.former === null ? kept : "changed";
  return { isForged, comparison, former: decision.former, chosen: !isForged && decision.chosen };
}
