import { endedAsTheyShould, eventsStartedOnce, everythingEnded, nodesInOrder } from "./checks/executions.ts";
import { failuresReportedOnce, failuresStartOnce } from "./checks/failures.ts";
import { leasesFollowLoss, leasesHeldOnce, resultsTakenOnce } from "./checks/leases.ts";
import { nothingIsLeft } from "./checks/leftovers.ts";
import { nothingBeginsInAWindow, nothingGivenInAPause, oneForEachKey, withinLimits } from "./checks/storms.ts";
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
  oneForEachKey,
  withinLimits,
  nothingGivenInAPause,
  nothingBeginsInAWindow,
  failuresStartOnce,
  failuresReportedOnce,
  nothingIsLeft,
];

/** Compares a run with the service's promises (ARCHITECTURE.md#invariants). Empty when it kept all of them. */
export function checkEvidence(evidence: Evidence): Violation[] {
  return CHECKS.flatMap((check) => check(evidence));
}
