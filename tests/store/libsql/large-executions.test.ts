import { expect, test } from "bun:test";
import { migrateDatabase } from "../../../scripts/migrate-database.ts";
import type { NodeRun } from "../../../worker/domain/execution-state.ts";
import { openDatabase } from "../../../worker/store/database.ts";
import { loadExecution, saveStep } from "../../../worker/store/executions.ts";
import { onEachDatabase } from "../../support/each-database.ts";
import { stepRecord } from "../../support/step-record.ts";

const OUTPUT = { stdout: 'a "line" of an output\n'.repeat(20_000) };
const NODES = 30;

/** sqld answers with at most 10 MB. */
onEachDatabase((start) => {
  test("an execution with 13 MB of outputs is read whole, in the order of its node runs", async () => {
    const { server } = await start();
    await migrateDatabase({ url: server.url, authToken: server.token ?? undefined });
    const db = openDatabase(server);
    const id = "exe_large";
    const nodeRuns = Array.from({ length: NODES }, (_, index) => nodeRunOf(index));
    for (const [index, some] of [nodeRuns.slice(0, 0), nodeRuns.slice(0, 15), nodeRuns].entries()) {
      await saveStep(db, stepRecord(id, index, some, nodeRuns.slice(0, [0, 0, 15][index])));
    }
    const loaded = await loadExecution(db, id);
    expect(loaded?.state.nodeRuns.map(({ nodeId }) => nodeId)).toEqual(nodeRuns.map(({ nodeId }) => nodeId));
    expect(loaded?.state.nodeRuns.every(({ output }) => Bun.deepEquals(output, OUTPUT))).toBe(true);
  });
});

function nodeRunOf(index: number): NodeRun {
  return {
    id: `nrn_${index}`,
    nodeId: `n${index}`,
    path: [],
    status: "succeeded",
    outcome: "success",
    attempt: 1,
    jobId: null,
    childExecutionId: null,
    revision: 1,
    output: OUTPUT,
    error: null,
    warnings: [],
    wakeAt: null,
    timeline: {
      queuedAt: null,
      assignedAt: null,
      deliveredAt: null,
      startedAt: null,
      finishedAt: null,
      reportedAt: null,
    },
  };
}
