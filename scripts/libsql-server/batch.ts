import { encodeError, toHranaError } from "./errors.ts";
import type { BatchCondition, BatchStep, Stmt } from "./hrana.ts";

export interface BatchRunner {
  /** Returns Hrana's `StmtResult`; throws on an error. */
  execute(stmt: Stmt): string;
  isAutocommit(): boolean;
}

type StepOutcome = "ok" | "error" | "skipped";

/**
 * Returns Hrana's `BatchResult`. A failed step does not end the batch: the conditions of later steps decide what else
 * runs. That is how clients put BEGIN, statements, COMMIT and ROLLBACK into one request.
 */
export function runBatch(steps: readonly BatchStep[], runner: BatchRunner): string {
  const outcomes: StepOutcome[] = [];
  const results: string[] = [];
  const errors: string[] = [];
  for (const { stmt, condition } of steps) {
    let [outcome, result, error]: [StepOutcome, string, string] = ["skipped", "null", "null"];
    if (condition === undefined || holds(condition, outcomes, runner)) {
      try {
        result = runner.execute(stmt);
        outcome = "ok";
      } catch (thrown) {
        error = encodeError(toHranaError(thrown));
        outcome = "error";
      }
    }
    outcomes.push(outcome);
    results.push(result);
    errors.push(error);
  }
  return `{"step_results":[${results.join(",")}],"step_errors":[${errors.join(",")}]}`;
}

function holds(condition: BatchCondition, outcomes: readonly StepOutcome[], runner: BatchRunner): boolean {
  switch (condition.type) {
    case "ok":
    case "error":
      return outcomes[condition.step] === condition.type;
    case "not":
      return !holds(condition.condition, outcomes, runner);
    case "and":
      return condition.conditions.every((each) => holds(each, outcomes, runner));
    case "or":
      return condition.conditions.some((each) => holds(each, outcomes, runner));
    case "is_autocommit":
      return runner.isAutocommit();
  }
}
