import { findAgent } from "../../store/agents.ts";
import type { ConnectionRow } from "../../store/connections.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import { poolObjectOf } from "../objects.ts";
import { withTimeout } from "../../actors/kit/with-timeout.ts";

/** The change is done: whoever made it does not wait long for a dispatcher that hangs. */
const LIMIT_MS = 2_000;

/**
 * Has a connection's dispatcher look at its waiting jobs, so that those of one that was disabled, deleted or moved end or move on
 * at once. Takes the row as it was before. Never throws: the dispatcher looks every minute anyway.
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
      "telling a pool of a connection",
      deps.objects.dispatcher(poolObject).review(connection.id),
    );
  } catch (error) {
    logWarning("a pool could not be told that a connection was changed; it sees that within a minute", {
      error: String(error),
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
