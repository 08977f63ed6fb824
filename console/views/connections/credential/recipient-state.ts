import { comparedBefore, comparisonOf } from "./confirmed.ts";
import type { Comparison, Store } from "./confirmed.ts";

/** What somebody said of an agent in this delivery: of the fingerprint that stood there then, and of no other. */
export interface Decision {
  fingerprint: string;
  chosen: boolean;
  /** The fingerprint in whose place that one had come; null when it was the first. */
  former: string | null;
}

/** How an agent stands in a delivery. */
export interface Standing {
  /** The service names another fingerprint than that of the key which it gives. */
  isForged: boolean;
  comparison: Comparison;
  /** The fingerprint that was compared before, where another one is here now. */
  former: string | null;
  /** The credential goes to it. */
  chosen: boolean;
}

interface Named {
  agentId: string;
  fingerprint: string;
  computed: string;
}

/**
 * A choice holds for the fingerprint that it was made of. The recipients are read again when a delivery was refused, and
 * a key that is another one by then was compared by nobody: it is not chosen, and it is said.
 */
export function standingOf({ agentId, fingerprint, computed }: Named, decision?: Decision, store?: Store): Standing {
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
