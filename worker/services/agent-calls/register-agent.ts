import type { RegisterRequest, RegisterResponse } from "../../../schema/contract/agent.ts";
import { saveRegistration } from "../../store/agent-registrations.ts";
import type { AgentIdentity } from "../../store/agent-registrations.ts";
import type { Deps } from "../deps.ts";
import { poolObjectOf } from "../objects.ts";
import type { PoolRefusal } from "../ports.ts";
import { reach } from "../unavailable.ts";
import { keyFingerprint } from "./key-fingerprint.ts";
import { isRefusal, refusalProblem } from "./refusal.ts";
import { sealSession } from "./session.ts";
import { verifyAgentKeyAnew } from "./verify-agent-key.ts";

/**
 * Keeps what an agent says about itself, and makes this process the one that its Pool serves. `seen` is the agent's
 * record as it was read when its key was verified.
 */
export async function registerAgent(
  deps: Deps,
  key: string,
  seen: AgentIdentity,
  request: RegisterRequest,
): Promise<RegisterResponse> {
  await keepRegistration(deps, seen.id, request);
  let agent = seen;
  let answer = await registerWithPool(deps, agent, request);
  if (isRefusal(answer) && answer.refused === "unauthorized") {
    // It was changed, or moved to another pool, between the query and the call.
    agent = await verifyAgentKeyAnew(deps, key);
    answer = await registerWithPool(deps, agent, request);
  }
  if (isRefusal(answer)) throw refusalProblem(answer);
  const { id, poolId } = agent;
  const session = { poolObject: poolObjectOf(agent), agentId: id, instanceId: request.instanceId };
  return { agentId: id, poolId, enabled: answer.enabled, session: sealSession(deps.env.BELLHOP_SECRET, session) };
}

async function keepRegistration(deps: Deps, agentId: string, request: RegisterRequest): Promise<void> {
  const { name, version, os, arch, capabilities, publicKey, maxConcurrentJobs, pollIntervalSeconds } = request;
  const registration = {
    name,
    version,
    os,
    arch,
    capabilities,
    maxConcurrentJobs,
    pollIntervalSeconds,
    fingerprint: keyFingerprint(publicKey),
    registeredAt: new Date(deps.now()).toISOString(),
  };
  await saveRegistration(deps.db, agentId, registration, publicKey);
}

function registerWithPool(
  deps: Deps,
  agent: AgentIdentity,
  request: RegisterRequest,
): Promise<{ enabled: boolean } | PoolRefusal> {
  const { id, name, epoch, enabled } = agent;
  const poolObject = poolObjectOf(agent);
  const caller = { agentId: id, epoch, instanceId: null };
  const settings = { agentId: id, name, epoch, enabled, removed: false };
  return reach("The agent's pool does not answer.", () =>
    deps.objects.pool(poolObject).register(poolObject, caller, { settings, request }),
  );
}
