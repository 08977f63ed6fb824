import { CREDENTIAL_VERSION_MAX } from "../../../schema/limits.ts";
import { parseHeld } from "../../../schema/contract/agent.ts";
import type { HeartbeatRequest, LeaseRef } from "../../../schema/contract/agent.ts";
import type { HeldCredential } from "../../domain/credential/judge-told.ts";
import { lostHere, queueAgain } from "../../actors/dispatcher/rules/job.ts";
import type { AgentCaller, HeartbeatAnswer, PoolRefusal } from "../ports.ts";
import { admit } from "./admit.ts";
import { dispatchWaiting } from "./dispatch-waiting.ts";
import { cancelledAmong, missingAmong, noteHeld } from "./held-leases.ts";
import type { PoolAgent } from "./pool-agent.ts";
import type { Pool } from "./pool.ts";
import { flushSoon } from "./register.ts";
import { passOnTold, tellCredentialsBy } from "./take-told.ts";

/** Notes that an agent lives and what credentials it has; tells it what to stop. Writes nothing that did not change. */
export function heartbeat(pool: Pool, caller: AgentCaller, request: HeartbeatRequest): HeartbeatAnswer | PoolRefusal {
  const admitted = admit(pool, caller);
  if ("refused" in admitted) return admitted;
  const { agent } = admitted;
  const held = request.held.map(parseHeld);
  pool.agents.heard(agent, "heartbeat", pool.world.now());
  noteHeld(pool, caller.agentId, held, pool.world.now());
  pool.changed.add(caller.agentId);
  if (request.draining === true) drain(pool, agent, held);
  const told = new Map(
    request.credentials.map(({ connectionId, version, target, changedAt }): [string, HeldCredential] => [
      connectionId,
      {
        version: Math.min(version, CREDENTIAL_VERSION_MAX),
        ...(target === undefined ? {} : { target }),
        ...(changedAt === undefined ? {} : { changedAt }),
      },
    ]),
  );
  if (pool.agents.credentialsTold(agent, told)) {
    tellCredentialsBy(pool, pool.world.now());
    pool.background(passOnTold(pool));
  }
  dispatchWaiting(pool);
  flushSoon(pool);
  return {
    enabled: agent.settings.enabled,
    cancelled: cancelledAmong(pool, caller.agentId, held),
  };
}

/** It gets nothing more, and what it does not hold by now goes to others at once: its polls have ended. */
function drain(pool: Pool, agent: PoolAgent, held: readonly LeaseRef[]): void {
  const { agentId } = agent.settings;
  for (const { live } of missingAmong(pool, agentId, held)) {
    if (live.sight?.wasShown === true) continue;
    const why = `Agent ${agent.settings.name} shut down before it began.`;
    pool.jobs.change(live, queueAgain(lostHere(live.job, { startedAt: null, why }, pool.world.now())));
  }
  if (agent.presence.draining === true) return;
  agent.presence = { ...agent.presence, draining: true };
  pool.agents.savePresence(pool.world.now(), agentId);
}
