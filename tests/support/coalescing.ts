import { z } from "zod";
import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import type { Bellhop } from "./bellhop.ts";
import { query } from "./database.ts";

/** The ids of the events that an execution was started by, in their order. */
export async function joinedBy(bellhop: Bellhop, executionId: string): Promise<string[]> {
  const rows = await query(
    bellhop,
    "select trigger_key id from batched_events where execution_id = ? and trigger_key is not null order by position",
    [executionId],
  );
  return rows.map(({ id }) => String(id));
}

/** Ends all windows: the service finds them over when it starts again. */
export async function endWindows(bellhop: Bellhop): Promise<void> {
  await bellhop.restartWorker();
  await query(bellhop, "update executions set wake_at = 1 where hold ->> '$.code' = 'collecting'");
  await bellhop.worker.tick(new Date());
}

/** The titles of the incidents that joined a run, in their order. */
export function titlesIn(trigger: ExecutionTrigger): string[] {
  if (trigger.type !== "incident") throw new TypeError("no incident started the run");
  return batchSchema.parse(trigger.incident["batch"]).map(({ title }) => title);
}
const batchSchema = z.array(z.object({ title: z.string() })).default([]);
