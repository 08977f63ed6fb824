import type { ExecutionState } from "../domain/run-types.ts";
import type { Database, Statement } from "./database.ts";

/**
 * What the end of an execution changes beside itself, for the batch that ends it: the count of a schedule's consecutive
 * failures, and the auto-disable that the fifth brings (specification, "States and transitions").
 */
export function outcomeStatements(_db: Database, _ended: ExecutionState): Statement[] {
  return [];
}
