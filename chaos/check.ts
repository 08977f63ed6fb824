import { endedAsTheyShould, eventsStartedOnce, everythingEnded, nodesInOrder } from "./checks/executions.ts";
import { leasesFollowLoss, leasesHeldOnce, resultsTakenOnce } from "./checks/leases.ts";
import { nothingIsLeft } from "./checks/leftovers.ts";
import type { Violation } from "./checks/violation.ts";
import { lostForAReason, noRetryOfLost, outcomesAreTrue, unsafeOnce } from "./checks/work.ts";
import type { Evidence } from "./evidence.ts";

const CHECKS: readonly ((evidence: Evidence) => Violation[])[] = [
  eventsStartedOnce,
  everythingEnded,
  endedAsTheyShould,
  nodesInOrder,
  unsafeOnce,
  outcomesAreTrue,
  lostForAReason,
  noRetryOfLost,
  leasesHeldOnce,
  leasesFollowLoss,
  resultsTakenOnce,
  nothingIsLeft,
];

/** Holds a run against what the service promises (ARCHITECTURE.md#invariants). Empty when it kept all of it. */
export function checkEvidence(evidence: Evidence): Violation[] {
  return CHECKS.flatMap((check) => check(evidence));
}
