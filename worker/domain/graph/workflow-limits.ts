import type { WorkflowLimit } from "../../../schema/contract/limit-group.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import type { Trigger } from "../../../schema/contract/workflow.ts";
import type { Steps } from "../steps.ts";
import { keyProblems } from "./trigger-key.ts";

/** Problems with the limits of a workflow. `limits` has null for an entry of the wrong shape. */
export function workflowLimitProblems(
  limits: readonly (WorkflowLimit | null)[],
  isGroup: (id: string) => boolean,
  trigger: Trigger | undefined,
  steps: Steps,
): FieldError[] {
  const seen = new Set<string>();
  return limits.flatMap((limit, index) => {
    if (limit === null) return [];
    const { groupId, key = "" } = limit;
    const isTwice = seen.has(groupId);
    seen.add(groupId);
    const problem = isTwice
      ? "is here twice: remove one of the entries"
      : isGroup(groupId)
        ? null
        : `there is no limit ${groupId}: choose one that exists, or create it first`;
    return [
      ...(problem === null ? [] : [{ path: `${index}.groupId`, message: problem }]),
      ...keyProblems(key, `${index}.key`, trigger, steps),
    ];
  });
}
