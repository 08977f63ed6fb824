import type { AgentCaller, PoolRefusal } from "../ports.ts";
import { admit } from "./admit.ts";
import { dispatchWaiting } from "./dispatch-waiting.ts";
import type { Pool } from "./pool.ts";

/**
 * An agent says goodbye: it is offline at once and gets nothing more. What it still holds, results that it could not
 * deliver, waits for it as long as for any silent agent.
 */
export function goOffline(pool: Pool, caller: AgentCaller): Record<string, never> | PoolRefusal {
  const admitted = admit(pool, caller);
  if ("refused" in admitted) return admitted;
  pool.agents.goneOffline(admitted.agent, "goodbye", pool.world.now());
  pool.changed.add(caller.agentId);
  pool.jobs.releaseAllOf(caller.agentId);
  dispatchWaiting(pool);
  return {};
}
