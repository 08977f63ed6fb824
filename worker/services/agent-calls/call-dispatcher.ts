import type { Deps } from "../deps.ts";
import type { AgentCaller, DispatcherRefusal } from "../../actors/dispatcher/index.ts";
import type { DispatcherRpc } from "../ports.ts";
import { reach } from "../unavailable.ts";
import { keyDigestOf } from "./key-digest.ts";
import { isRefusal, refusalProblem, registerAgain } from "./refusal.ts";
import { openSession, signSession, vouchFor, vouchedEpoch } from "./session.ts";
import type { AgentSession } from "./session.ts";
import { verifyAgentKeyAgain, verifyCallingKey } from "./verify-agent-key.ts";
import type { CallingKey } from "./verify-agent-key.ts";

/** A call with a verified key and that agent's session. */
export interface AgentCall extends CallingKey {
  epoch: number;
  session: AgentSession;
  /** Receives a new session when the call's session does not vouch for the key's current epoch. */
  renew?: (signedSession: string) => void;
}

/**
 * Checks the key of a registered agent, by the cache or the session where possible, and its session. Throws the problem
 * for the agent.
 */
export async function admitCall(
  deps: Deps,
  key: string,
  signedSession: string | null,
  renew?: AgentCall["renew"],
): Promise<AgentCall> {
  const session = signedSession === null ? null : openSession(deps.settings.secret, signedSession);
  const calling = { key, keyDigest: keyDigestOf(deps.settings.secret, key) };
  const agent = await verifyCallingKey(deps, calling, session);
  if (session === null || session.agentId !== agent.agentId) throw registerAgain();
  return { ...calling, epoch: agent.epoch, session, ...(renew === undefined ? {} : { renew }) };
}

/**
 * Passes a call to the agent's dispatcher. When the dispatcher knows a newer epoch, the key is checked again against
 * libSQL, so that revoking beats caching (invariant 8).
 */
export async function callDispatcher<T extends object>(
  deps: Deps,
  agentCall: AgentCall,
  call: (dispatcher: DispatcherRpc, caller: AgentCaller) => Promise<T | DispatcherRefusal>,
): Promise<T> {
  const { key, session } = agentCall;
  const { agentId, instanceId, poolObject } = session;
  const dispatcher = deps.objects.dispatcher(poolObject);
  const ask = (epoch: number) =>
    reach("The agent's pool does not answer.", () => call(dispatcher, { agentId, epoch, instanceId }));
  let { epoch } = agentCall;
  let answer = await ask(epoch);
  if (isRefusal(answer) && answer.refused === "unauthorized") {
    epoch = (await verifyAgentKeyAgain(deps, key)).epoch;
    answer = await ask(epoch);
  }
  if (isRefusal(answer)) throw refusalProblem(answer);
  renewSession(deps, agentCall, epoch);
  return answer;
}

/**
 * The dispatcher accepted the key under this epoch. A session that does not vouch for the epoch would cost a query with
 * every call that misses the cache, so the agent gets a new session with the answer. An agent that ignores the new
 * session keeps the old one.
 */
function renewSession({ settings, now }: Deps, { keyDigest, session, renew }: AgentCall, epoch: number): void {
  if (renew === undefined) return;
  const vouched = vouchedEpoch(session, keyDigest, now());
  if (vouched !== null && vouched >= epoch) return;
  renew(signSession(settings.secret, { ...session, verified: vouchFor(keyDigest, epoch, now()) }));
}
