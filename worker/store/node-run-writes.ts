import { eq, sql } from "drizzle-orm";
import { nodeRunOutputs, nodeRuns } from "../../schema/tables/index.ts";
import type { ExecutionState, NodeRun } from "../domain/execution-state.ts";
import type { Database, Statement } from "./database.ts";
import { insertRows, updateRow } from "./fixed-statements.ts";

/** The changes of a step to node runs and their outputs. */
interface NodeRunChange {
  before: ExecutionState | null;
  after: ExecutionState;
  /** See `StepRecord`. */
  copies?: ReadonlyMap<string, string> | undefined;
}

/** Writes new node runs, and those that are not the same object as before. */
export function nodeRunStatements(db: Database, { before, after, copies }: NodeRunChange): Statement[] {
  const known = new Map((before?.nodeRuns ?? []).map((run) => [run.id, run]));
  const added = after.nodeRuns.filter((run) => !known.has(run.id));
  const changed = after.nodeRuns.filter((run) => {
    const old = known.get(run.id);
    return old !== undefined && old !== run;
  });
  // An output may also become null: a further attempt may end without one.
  const withOutput = [...added, ...changed].filter((run) => run.output !== (known.get(run.id)?.output ?? null));
  const statements: Statement[] = [];
  for (const rows of chunks(added, 100)) {
    statements.push(
      insertRows(
        nodeRuns,
        rows.map((run) => nodeRunRow(after.id, run)),
      ),
    );
  }
  for (const run of changed) {
    statements.push(updateRow(nodeRuns, "id", nodeRunRow(after.id, run)));
  }
  for (const run of withOutput) {
    const copiedFrom = copies?.get(run.id);
    if (copiedFrom !== undefined) {
      statements.push(copyOutput(db, after.id, run.id, copiedFrom));
      continue;
    }
    const row = { nodeRunId: run.id, executionId: after.id, output: run.output };
    statements.push(
      insertRows(nodeRunOutputs, [row], "on conflict (node_run_id) do update set output = excluded.output"),
    );
  }
  return statements;
}

/** Copied inside the database, because the outputs of a whole execution may exceed the size of a batch. */
function copyOutput(db: Database, executionId: string, nodeRunId: string, from: string): Statement {
  return db.insert(nodeRunOutputs).select(
    db
      .select({
        nodeRunId: sql<string>`${nodeRunId}`.as("node_run_id"),
        executionId: sql<string>`${executionId}`.as("execution_id"),
        output: nodeRunOutputs.output,
      })
      .from(nodeRunOutputs)
      .where(eq(nodeRunOutputs.nodeRunId, from)),
  );
}

function nodeRunRow(executionId: string, run: NodeRun): typeof nodeRuns.$inferInsert {
  return {
    id: run.id,
    executionId,
    nodeId: run.nodeId,
    iterationPath: run.path.join("."),
    status: run.status,
    outcome: run.outcome,
    attempt: run.attempt,
    jobId: run.jobId,
    childExecutionId: run.childExecutionId,
    revision: run.revision,
    error: run.error,
    warnings: run.warnings,
    wakeAt: run.wakeAt,
    ...run.timeline,
  };
}

/** A statement takes a limited number of rows. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  const result: T[][] = [];
  for (let i = 0; i < items.length; i += size) result.push(items.slice(i, i + size));
  return result;
}
