import type { Deps } from "../deps.ts";
import type { AgentCaller, DispatcherRefusal } from "../../actors/dispatcher/index.ts";
import type { DispatcherRpc } from "../ports.ts";
import { reach } from "../unavailable.ts";
import { keyDigestOf } from "./key-digest.ts";
import { isRefusal, refusalProblem, registerAgain } from "./refusal.ts";
import { openSession, signSession, vouchFor, vouchedEpoch } from "./session.ts";
import type { AgentSession } from "./session.ts";
import { verifyAgentKeyAnew, verifyCallingKey } from "./verify-agent-key.ts";

/** A call whose key was verified and whose session is that agent's. */
export interface AgentCall {
  key: string;
  epoch: number;
  session: AgentSession;
  /** Takes the session to be used from now on, when the call's own does not say that its key was verified as things are. */
  renew?: (signedSession: string) => void;
}

/**
 * Checks a registered agent's key, by memory or its session where these can say, and its session. Throws what the agent is
 * told.
 */
export async function admitCall(
  deps: Deps,
  key: string,
  signedSession: string | null,
  renew?: AgentCall["renew"],
): Promise<AgentCall> {
  const session = signedSession === null ? null : openSession(deps.settings.secret, signedSession);
  const agent = await verifyCallingKey(deps, key, session);
  if (session === null || session.agentId !== agent.agentId) throw registerAgain();
  return { key, epoch: agent.epoch, session, ...(renew === undefined ? {} : { renew }) };
}

/**
 * Brings a call to the agent's dispatcher. When the dispatcher knows of a newer epoch, the key is checked once more against libSQL,
 * so that revoking beats caching (invariant 8).
 */
export async function callPool<T extends object>(
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
    epoch = (await verifyAgentKeyAnew(deps, key)).epoch;
    answer = await ask(epoch);
  }
  if (isRefusal(answer)) throw refusalProblem(answer);
  renewSession(deps, agentCall, epoch);
  return answer;
}

/**
 * The dispatcher has taken the key under this epoch. A session that does not say so, or not any more, would cost
 * a query with every call that memory does not know: the agent gets a new one beside the answer. One that does not take
 * it goes on with its own.
 */
function renewSession({ settings, now }: Deps, { key, session, renew }: AgentCall, epoch: number): void {
  if (renew === undefined) return;
  const keyDigest = keyDigestOf(settings.secret, key);
  const vouched = vouchedEpoch(session, keyDigest, now());
  if (vouched !== null && vouched >= epoch) return;
  renew(signSession(settings.secret, { ...session, verified: vouchFor(keyDigest, epoch, now()) }));
}
