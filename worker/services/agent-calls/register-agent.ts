import type { RegisterRequest, RegisterResponse } from "../../../schema/contract/agent.ts";
import type { Registration } from "../../../schema/contract/management.ts";
import { saveRegistration } from "../../store/agent-registrations.ts";
import type { AgentIdentity } from "../../store/agent-registrations.ts";
import { writeBatch } from "../../store/database.ts";
import { forgetSealedTo } from "../../store/credential-ends.ts";
import { record } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { poolObjectOf } from "../objects.ts";
import type { DispatcherRefusal, Registered } from "../../actors/dispatcher/index.ts";
import { reach } from "../unavailable.ts";
import { keyDigestOf } from "./key-digest.ts";
import { keyFingerprint } from "../key-fingerprint.ts";
import { isRefusal, refusalProblem } from "./refusal.ts";
import { signSession, vouchFor } from "./session.ts";
import { verifyAgentKeyAgain } from "./verify-agent-key.ts";

/**
 * Stores an agent's registration, and makes this process the one that its dispatcher serves. `seen` is the agent's
 * record from the verification of its key.
 */
export async function registerAgent(
  deps: Deps,
  key: string,
  seen: AgentIdentity,
  request: RegisterRequest,
): Promise<RegisterResponse> {
  await keepRegistration(deps, seen, request);
  let agent = seen;
  let answer = await registerWithPool(deps, agent, request);
  if (isRefusal(answer) && answer.refused === "unauthorized") {
    // The agent was changed, or moved to another pool, between the query and the call.
    agent = await verifyAgentKeyAgain(deps, key);
    answer = await registerWithPool(deps, agent, request);
  }
  if (isRefusal(answer)) throw refusalProblem(answer);
  const { id, poolId, epoch } = agent;
  const serverSecret = deps.settings.secret;
  const session = signSession(serverSecret, {
    poolObject: poolObjectOf(agent),
    agentId: id,
    instanceId: request.instanceId,
    verified: vouchFor(keyDigestOf(serverSecret, key), epoch, deps.now()),
  });
  return { agentId: id, poolId, enabled: answer.enabled, session };
}

async function keepRegistration(deps: Deps, seen: AgentIdentity, request: RegisterRequest): Promise<void> {
  const { name, version, os, arch, capabilities, features, actions } = request;
  const { publicKey, maxConcurrentJobs, pollIntervalSeconds, isolation, isolationReason } = request;
  const registration = {
    name,
    version,
    os,
    arch,
    capabilities,
    features,
    actions,
    isolation,
    isolationReason,
    maxConcurrentJobs,
    pollIntervalSeconds,
    fingerprint: keyFingerprint(publicKey),
    registeredAt: new Date(deps.now()).toISOString(),
  };
  await writeBatch(deps.db, [
    saveRegistration(deps.db, seen.id, registration, publicKey),
    ...changedKeyStatements(deps, seen, registration),
  ]);
}

/**
 * The public key is another than before: credentials sealed to the old one can no longer be opened, and administrators
 * must be able to see when that happened (docs/design/credentials.md#changed-keys).
 */
function changedKeyStatements(deps: Deps, { id, publicKey }: AgentIdentity, { name, fingerprint }: Registration) {
  const former = publicKey === null ? null : keyFingerprint(publicKey);
  if (former === null || former === fingerprint) return [];
  return [
    forgetSealedTo(deps.db, id, fingerprint, deps.now()),
    record(deps, {
      actor: `agent:${id}`,
      verb: "key-changed",
      subjectType: "agent",
      subjectId: id,
      detail: { registeredAs: name, formerFingerprint: former, fingerprint },
    }),
  ];
}

function registerWithPool(
  deps: Deps,
  agent: AgentIdentity,
  request: RegisterRequest,
): Promise<Registered | DispatcherRefusal> {
  const { id, name, epoch, enabled } = agent;
  const caller = { agentId: id, epoch, instanceId: null };
  const settings = { agentId: id, name, epoch, enabled, removed: false };
  return reach("The agent's pool does not answer.", () =>
    deps.objects.dispatcher(poolObjectOf(agent)).register(caller, { settings, request }),
  );
}
