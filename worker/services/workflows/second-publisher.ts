import { underPath } from "../../domain/graph/check-definition.ts";
import { weakenedApprovals } from "../../domain/graph/weakened-approvals.ts";
import type { WorkflowRow, WorkflowVersionRow } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { personOf, UNKNOWN_PERSON } from "../principal.ts";
import type { Principal } from "../principal.ts";
import { ProblemError } from "../problem.ts";

/**
 * With REQUIRE_SECOND_PUBLISHER: throws `forbidden` when the draft weakens or removes an approval of the version
 * before, and the caller changed the draft, may have changed it by a token without an owner, or is such a token.
 */
export function requireSecondPublisher(
  deps: Deps,
  by: Principal,
  draft: WorkflowRow,
  before: WorkflowVersionRow | null,
): void {
  if (before === null || !deps.settings.requiresSecondPublisher) return;
  const person = personOf(by);
  const isUnknown = draft.changedBy.includes(UNKNOWN_PERSON);
  if (by.kind !== "bootstrap" && person !== null && !draft.changedBy.includes(person) && !isUnknown) return;
  const weakened = weakenedApprovals(before.definition, draft.definition);
  if (weakened.length === 0) return;
  throw new ProblemError(
    "forbidden",
    "This draft asks for less approval than the version before: see errors. " +
      (isUnknown
        ? "A token that belongs to no one changed it: save the version before and publish that, and have a person make the change."
        : "A person who did not change the draft must publish it; a token counts as its owner, the bootstrap token as no person."),
    { errors: weakened.map((error) => underPath(error, "definition.")) },
  );
}
