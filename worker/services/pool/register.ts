import { PRESENCE_FLUSH_MS } from "../../../schema/limits.ts";
import { actionsBeside } from "../../actors/dispatcher/rules/abilities.ts";
import { keyFingerprint } from "../agent-calls/key-fingerprint.ts";
import type { AgentCaller, PoolRefusal, RegisterOrder, Registered } from "../ports.ts";
import { dispatchWaiting } from "./dispatch-waiting.ts";
import { loseJobsOf } from "./lost-jobs.ts";
import type { Pool } from "./pool.ts";
import { passOnTold, tellCredentialsBy } from "./take-told.ts";
import { tellEnds } from "./tell-ends.ts";

const SECOND_MS = 1_000;

/**
 * From now on Pool serves this process of the agent, and no other (design 3, "Agent"). What was delivered to another
 * journal is lost: nobody can say how far it came.
 */
export function register(
  pool: Pool,
  caller: AgentCaller,
  { settings, request }: RegisterOrder,
): Registered | PoolRefusal {
  const known = pool.agents.get(caller.agentId);
  if (known !== undefined && settings.epoch < known.settings.epoch) return { refused: "unauthorized" };
  const now = pool.world.now();
  const { instanceId, journalId, maxConcurrentJobs, pollIntervalSeconds, publicKey } = request;
  // Another process is served now.
  if (known?.registration != null && known.registration.instanceId !== instanceId) pool.wakers.drop(caller.agentId);
  const agent = pool.agents.register(
    settings,
    {
      instanceId,
      journalId,
      maxConcurrentJobs,
      pollIntervalMs: pollIntervalSeconds * SECOND_MS,
      fingerprint: keyFingerprint(publicKey),
      features: request.features,
      actions: actionsBeside(request.actions),
      // An agent of protocol 1 alone answers a test of any type, if only by what it lacks.
      types: request.actions === undefined ? undefined : request.capabilities,
    },
    now,
  );
  if (!agent.credentialsPassedOn) {
    tellCredentialsBy(pool, now);
    pool.background(passOnTold(pool));
  }
  pool.jobs.releaseAllOf(caller.agentId);
  loseJobsOf(pool, caller.agentId, now);
  pool.changed.add(caller.agentId);
  dispatchWaiting(pool);
  pool.background(tellEnds(pool));
  flushSoon(pool);
  return { enabled: agent.settings.enabled };
}

/** Who called when reaches the Pool's disk in batches (invariant 7). */
export function flushSoon(pool: Pool): void {
  pool.timers.flushAt ??= pool.world.now() + PRESENCE_FLUSH_MS;
  pool.alarm.by(pool.timers.flushAt);
}
