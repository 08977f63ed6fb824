import { findAgent } from "../../store/agents.ts";
import type { ConnectionRow } from "../../store/connections.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import { poolObjectOf } from "../objects.ts";
import { withTimeout } from "../../actors/kit/with-timeout.ts";
import { failureMessage } from "../../store/errors.ts";

/** The change is made, so its caller waits no longer than this for a dispatcher that hangs. */
const LIMIT_MS = 2_000;

/**
 * Has a connection's dispatcher review its waiting jobs, so that jobs of a disabled, deleted or moved connection end or
 * move on immediately. Takes the row before the change. Never throws: the dispatcher reviews them every minute anyway.
 */
export async function reviewJobs(
  deps: Deps,
  connection: Pick<ConnectionRow, "id" | "agentId" | "poolId">,
): Promise<void> {
  try {
    const poolObject = await poolObjectFor(deps, connection);
    if (poolObject === null) return;
    await withTimeout(
      LIMIT_MS,
      "notifying a pool of a connection",
      deps.objects.dispatcher(poolObject).review(connection.id),
    );
  } catch (error) {
    logWarning("a pool could not be notified of a changed connection; it reads the change within a minute", {
      error: failureMessage(error),
    });
  }
}

async function poolObjectFor(
  { db }: Deps,
  { agentId, poolId }: Pick<ConnectionRow, "agentId" | "poolId">,
): Promise<string | null> {
  if (agentId === null) return poolId === null ? null : `pool:${poolId}`;
  const agent = await findAgent(db, agentId);
  return agent === null ? null : poolObjectOf(agent);
}
