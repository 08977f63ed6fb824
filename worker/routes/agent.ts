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
import { AGENT_BODY_MAX_BYTES } from "../../schema/limits.ts";
import type { AppEnv } from "../http/app-types.ts";
import { bearerToken } from "../http/authenticate.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { readJsonBody } from "../http/json-body.ts";
import { answer } from "../http/respond.ts";
import { admitCall, callPool } from "../services/agent-calls/call-pool.ts";
import type { AgentCall } from "../services/agent-calls/call-pool.ts";
import { registerAgent } from "../services/agent-calls/register-agent.ts";
import { verifyAgentKeyAnew } from "../services/agent-calls/verify-agent-key.ts";
import { parseInput } from "../services/parse.ts";
import { ProblemError } from "../services/problem.ts";

/** An output may be structured; what it holds comes from somebody else's system. */
const BODY_LIMITS = { maxBytes: AGENT_BODY_MAX_BYTES, maxDepth: 128 };

/** What agents call (design 4, "Agent"). Every key is checked before its body is read. */
export const agentCallEndpoints: readonly Endpoint[] = [
  endpoint(api.registerAgent, async (c) => {
    const key = keyOf(c);
    const agent = await verifyAgentKeyAnew(c.var.deps, key);
    const request = parseInput(registerRequestSchema, await bodyOf(c));
    return answer(c, await registerAgent(c.var.deps, key, agent, request));
  }),
  endpoint(api.pollJobs, async (c) => {
    const call = await admit(c);
    const { capacity, held } = parseInput(jobsQuerySchema, c.req.query());
    const request = { capacity, held: held.map(parseHeld) };
    return answer(c, await callPool(c.var.deps, call, (pool, caller) => pool.poll(caller, request)));
  }),
  endpoint(api.reportResults, async (c) => {
    const call = await admit(c);
    const { results } = parseInput(resultsRequestSchema, await bodyOf(c));
    return answer(c, await callPool(c.var.deps, call, (pool, caller) => pool.results(caller, results)));
  }),
  endpoint(api.sendHeartbeat, async (c) => {
    const call = await admit(c);
    const request = parseInput(heartbeatRequestSchema, await bodyOf(c));
    return answer(c, await callPool(c.var.deps, call, (pool, caller) => pool.heartbeat(caller, request)));
  }),
  endpoint(api.sayOffline, async (c) => {
    const call = await admit(c);
    const held = parseInput(offlineRequestSchema, await bodyOf(c)).held.map(parseHeld);
    return answer(c, await callPool(c.var.deps, call, (pool, caller) => pool.offline(caller, held)));
  }),
];

function admit(context: Context<AppEnv>): Promise<AgentCall> {
  return admitCall(context.get("deps"), keyOf(context), context.req.header(SESSION_HEADER) ?? null);
}

function keyOf(context: Context<AppEnv>): string {
  const key = bearerToken(context.req.header("Authorization"));
  if (key !== null) return key;
  throw new ProblemError("unauthorized", "Send the agent key as Authorization: Bearer <agent key>.", {
    headers: { "WWW-Authenticate": "Bearer" },
  });
}

async function bodyOf(context: Context<AppEnv>): Promise<unknown> {
  return (await readJsonBody(context.req.raw, BODY_LIMITS))?.value ?? {};
}
