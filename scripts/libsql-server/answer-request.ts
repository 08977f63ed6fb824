import type { Connection } from "./connection.ts";
import { encodeError, HranaError, toHranaError } from "./errors.ts";
import type { BatchStep, HranaRequest, StepOutcome } from "./hrana.ts";

/**
 * Runs one request of a pipeline and returns Hrana's `StreamResult`. The request is complete in itself: a transaction
 * that it leaves open is rolled back, so several batches in one pipeline are independent transactions.
 */
export function answerRequest(request: HranaRequest, connection: Connection): string {
  let response = "";
  let failure: unknown;
  try {
    connection.beginRequest();
    response = run(request, connection);
  } catch (error) {
    failure = error;
  }
  if (connection.endRequest()) {
    failure ??= new HranaError(
      "TRANSACTION_LEFT_OPEN",
      "The request left a transaction open, which was rolled back: this server has no interactive transactions; " +
        "send the whole transaction as one batch",
    );
  }
  if (failure !== undefined) return `{"type":"error","error":${encodeError(toHranaError(failure))}}`;
  return `{"type":"ok","response":${response}}`;
}

function run(request: HranaRequest, connection: Connection): string {
  switch (request.type) {
    case "execute":
      return `{"type":"execute","result":${connection.execute(request.stmt)}}`;
    case "batch":
      return `{"type":"batch","result":${runBatch(request.steps, connection)}}`;
    case "sequence":
      connection.executeSequence(request.sql);
      return '{"type":"sequence"}';
    case "store_sql":
    case "close_sql":
    case "close":
      return `{"type":"${request.type}"}`;
  }
}

/**
 * Returns Hrana's `BatchResult`. A failed step does not end the batch: the conditions of later steps decide what else
 * runs. That is how clients put BEGIN, statements, COMMIT and ROLLBACK into one request.
 */
function runBatch(steps: readonly BatchStep[], connection: Connection): string {
  const outcomes: StepOutcome[] = [];
  const results: string[] = [];
  const errors: string[] = [];
  for (const { stmt, condition } of steps) {
    let [outcome, result, error]: [StepOutcome, string, string] = ["skipped", "null", "null"];
    if (condition === undefined || condition(outcomes, connection)) {
      try {
        result = connection.execute(stmt);
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
