import type { Context } from "hono";
import {
  SESSION_HEADER,
  heartbeatRequestSchema,
  jobsQuerySchema,
  offlineRequestSchema,
  parseHeld,
  registerRequestSchema,
  resultsRequestSchema,
} from "../../schema/contract/agent.ts";
import * as api from "../../schema/contract/api/agent.ts";
import { AGENT_BODY_MAX_BYTES, AGENT_REGISTRATION_MAX_BYTES, AGENT_WORD_MAX_BYTES } from "../../schema/limits.ts";
import type { AppEnv } from "../http/app-types.ts";
import { bearerToken } from "../http/authenticate.ts";
import { callerAddress } from "../http/caller-address.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { readJsonBody } from "../http/json-body.ts";
import { readSignInBody } from "../http/parse.ts";
import { answer } from "../http/respond.ts";
import { enrolAgent } from "../services/agents/enrol.ts";
import { admitCall, callDispatcher } from "../services/agent-calls/call-dispatcher.ts";
import type { AgentCall } from "../services/agent-calls/call-dispatcher.ts";
import { openWake } from "../services/agent-calls/open-wake.ts";
import { requireKnownProtocol } from "../services/agent-calls/known-protocol.ts";
import { registerAgent } from "../services/agent-calls/register-agent.ts";
import { verifyRegisteringKey } from "../services/agent-calls/verify-agent-key.ts";
import { parseInput } from "../services/parse.ts";
import { ProblemError } from "../services/problem.ts";

/** An output may be structured, and its content comes from other systems. */
const BODY_MAX_DEPTH = 128;

const IDS_LOGGED_MAX = 50;

/** The calls of agents (docs/design/agent-protocol.md#calls). A key in the header is checked before the body is read. */
export const agentCallEndpoints: readonly Endpoint[] = [
  endpoint(api.enrolAgent, async (c) => {
    const { agentId, apiKey } = await enrolAgent(c.var.deps, callerAddress(c), await readSignInBody(c));
    c.set("logFields", { agentId });
    return answer(c, { apiKey });
  }),
  endpoint(api.registerAgent, async (c) => {
    const key = keyOf(c);
    const agent = await verifyRegisteringKey(c.var.deps, key);
    c.set("logFields", { agentId: agent.id });
    const body = requireKnownProtocol(await bodyOf(c, AGENT_REGISTRATION_MAX_BYTES));
    const request = parseInput(registerRequestSchema, body);
    return answer(c, await registerAgent(c.var.deps, key, agent, request));
  }),
  endpoint(api.pollJobs, async (c) => {
    const call = await admit(c);
    const { capacity, held } = parseInput(jobsQuerySchema, c.req.query());
    const request = { capacity, held: held.map(parseHeld) };
    const given = await callDispatcher(c.var.deps, call, (dispatcher, caller) => dispatcher.poll(caller, request));
    // A poll that delivers a job is logged, because it shows which agent got the job. An empty one is not.
    c.set("isIdle", given.jobs.length === 0 && given.cancelled.length === 0);
    c.set("logFields", { agentId: call.session.agentId, jobIds: logged(given.jobs.map(({ id }) => id)) });
    return answer(c, given);
  }),
  endpoint(api.reportResults, async (c) => {
    const call = await admit(c);
    const { results } = parseInput(resultsRequestSchema, await bodyOf(c, AGENT_BODY_MAX_BYTES));
    c.set("logFields", { agentId: call.session.agentId, jobIds: logged(results.map(({ jobId }) => jobId)) });
    return answer(
      c,
      await callDispatcher(c.var.deps, call, (dispatcher, caller) => dispatcher.results(caller, results)),
    );
  }),
  endpoint(api.sendHeartbeat, async (c) => {
    const call = await admit(c);
    const request = parseInput(heartbeatRequestSchema, await bodyOf(c, AGENT_WORD_MAX_BYTES));
    c.set("isIdle", true);
    return answer(
      c,
      await callDispatcher(c.var.deps, call, (dispatcher, caller) => dispatcher.heartbeat(caller, request)),
    );
  }),
  endpoint(api.sayOffline, async (c) => {
    const call = await admit(c);
    parseInput(offlineRequestSchema, await bodyOf(c, AGENT_WORD_MAX_BYTES));
    return answer(c, await callDispatcher(c.var.deps, call, (dispatcher, caller) => dispatcher.offline(caller)));
  }),
  endpoint(api.openWakeSocket, async (c) => {
    if (c.req.header("Upgrade")?.toLowerCase() !== "websocket") {
      const detail = "This address takes WebSocket connections only. Check whether a proxy in between blocks them.";
      throw new ProblemError("invalid_request", detail);
    }
    const call = await admit(c);
    c.set("isIdle", true);
    return openWake(c.var.deps, call);
  }),
];

async function admit(context: Context<AppEnv>): Promise<AgentCall> {
  const session = context.req.header(SESSION_HEADER) ?? null;
  const renew = (sealed: string) => context.header(SESSION_HEADER, sealed);
  const call = await admitCall(context.get("deps"), keyOf(context), session, renew);
  context.set("logFields", { agentId: call.session.agentId });
  return call;
}

function logged(ids: readonly string[]): string {
  return ids.slice(0, IDS_LOGGED_MAX).join(",");
}

function keyOf(context: Context<AppEnv>): string {
  const key = bearerToken(context.req.header("Authorization"));
  if (key !== null) return key;
  throw new ProblemError("unauthorized", "Send the agent key as Authorization: Bearer <agent key>.", {
    headers: { "WWW-Authenticate": "Bearer" },
  });
}

async function bodyOf(context: Context<AppEnv>, maxBytes: number): Promise<unknown> {
  return (await readJsonBody(context.req.raw, { maxBytes, maxDepth: BODY_MAX_DEPTH }))?.value ?? {};
}
