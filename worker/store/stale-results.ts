import type { JobResult } from "../../schema/contract/agent.ts";
import { staleResults } from "../../schema/tables/index.ts";
import type { Database } from "./database.ts";

/** Records a result that came under a lease that was not valid (invariant 2). Telling it twice records it once. */
export async function recordStaleResult(
  db: Database,
  agentId: string,
  result: JobResult,
  receivedAt: number,
): Promise<void> {
  const { jobId, lease, status } = result;
  await db
    .insert(staleResults)
    .values({
      id: `${jobId}:${lease}:${agentId}`,
      jobId,
      lease,
      agentId,
      status,
      startedAt: result.startedAt === null ? null : new Date(result.startedAt).getTime(),
      finishedAt: new Date(result.finishedAt).getTime(),
      receivedAt,
    })
    .onConflictDoNothing();
}
