import { Badge, VisuallyHidden } from "@mantine/core";
import { isError } from "../../../workflow-forms/problems.ts";
import type { DraftProblem } from "../../../workflow-forms/draft-problems.ts";
import { designer } from "../../../strings/en/designer.ts";

/** The numbers of problems and warnings. */
export function ProblemCounts({ problems }: { problems: readonly DraftProblem[] }) {
  const errors = problems.filter(isError).length;
  const warnings = problems.length - errors;
  return (
    <>
      {errors === 0 ? null : (
        <Badge size="sm" color="red" variant="light" circle={errors < 10}>
          {errors}
        </Badge>
      )}
      {warnings === 0 ? null : (
        <Badge size="sm" color="yellow" variant="light" circle={warnings < 10}>
          {warnings}
          <VisuallyHidden>{designer.problems.warnings(warnings)}</VisuallyHidden>
        </Badge>
      )}
    </>
  );
}
