import { underPath } from "../../domain/graph/check-definition.ts";
import { weakenedApprovals } from "../../domain/graph/weakened-approvals.ts";
import type { Deps } from "../deps.ts";
import { personOf, UNKNOWN_PERSON } from "../principal.ts";
import type { Principal } from "../principal.ts";
import { ProblemError } from "../problem.ts";
import type { PublishTarget } from "./publish-target.ts";

/**
 * With REQUIRE_SECOND_PUBLISHER: throws `forbidden` when the content weakens or removes an approval of the version
 * before, and the caller changed it, may have changed it by a token without an owner, or is such a token.
 */
export function requireSecondPublisher(
  deps: Deps,
  by: Principal,
  { before, content, changedBy, isEarlier }: PublishTarget,
): void {
  if (before === null || !deps.settings.requiresSecondPublisher) return;
  const person = personOf(by);
  const isUnknown = changedBy.includes(UNKNOWN_PERSON);
  if (by.kind !== "bootstrap" && person !== null && !changedBy.includes(person) && !isUnknown) return;
  const weakened = weakenedApprovals(before.definition, content.definition);
  if (weakened.length === 0) return;
  throw new ProblemError(
    "forbidden",
    `This ${isEarlier ? "version" : "draft"} asks for less approval than the version before: see errors. ${remedy({ isUnknown, isEarlier })}`,
    { errors: weakened.map((error) => underPath(error, "definition.")) },
  );
}

function remedy({ isUnknown, isEarlier }: { isUnknown: boolean; isEarlier: boolean }): string {
  if (isEarlier) return "Make it the draft, and have a person publish it who did not change the draft.";
  return isUnknown
    ? "A token that belongs to no one changed it: save the version before and publish that, and have a person make the change."
    : "A person who did not change the draft must publish it; a token counts as its owner, the bootstrap token as no person.";
}
