import { hasLostAncestor } from "../../store/execution-reads.ts";
import type { Deps } from "../deps.ts";
import { ProblemError } from "../problem.ts";

/** Throws `conflict` when an ancestor was deleted, because `by: "another"` excludes the people who changed it. */
export async function requireAncestors(deps: Deps, executionId: string): Promise<void> {
  if (!(await hasLostAncestor(deps.db, executionId))) return;
  throw new ProblemError(
    "conflict",
    "This execution ran as a sub-workflow, and an execution above it was deleted, so it is not known who may approve. Start the workflow instead.",
  );
}
