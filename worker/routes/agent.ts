import { Hono } from "hono";
import type { Context } from "hono";
import { z } from "zod";
import {
  SESSION_HEADER,
  heartbeatRequestSchema,
  heldEntrySchema,
  offlineRequestSchema,
  parseHeld,
  registerRequestSchema,
  resultsRequestSchema,
} from "../../schema/contract/agent.ts";
import { AGENT_BODY_MAX_BYTES } from "../../schema/limits.ts";
import type { AppEnv } from "../http/app-types.ts";
import { bearerToken } from "../http/authenticate.ts";
import { readJsonBody } from "../http/json-body.ts";
import { only } from "../http/methods.ts";
import { admitCall, callPool } from "../services/agent-calls/call-pool.ts";
import type { AgentCall } from "../services/agent-calls/call-pool.ts";
import { registerAgent } from "../services/agent-calls/register-agent.ts";
import { verifyAgentKeyAnew } from "../services/agent-calls/verify-agent-key.ts";
import { parseInput } from "../services/parse.ts";
import { ProblemError } from "../services/problem.ts";

/** An output may be structured; what it holds comes from somebody else's system. */
const BODY_LIMITS = { maxBytes: AGENT_BODY_MAX_BYTES, maxDepth: 128 };
const MAX_CAPACITY = 10_000;
const MAX_HELD = 10_000;

const jobsQuerySchema = z.object({
  capacity: z.coerce.number().int().min(0).max(MAX_CAPACITY),
  held: z
    .string()
    .default("")
    .transform((text) => text.split(",").filter((entry) => entry !== ""))
    .pipe(z.array(heldEntrySchema).max(MAX_HELD)),
});

/** What agents call (design 4, "Agent"). Every key is checked before its body is read. */
export const agentRoutes = new Hono<AppEnv>();

agentRoutes.post("/register", async (context) => {
  const deps = context.get("deps");
  const key = keyOf(context);
  const agent = await verifyAgentKeyAnew(deps, key);
  const request = parseInput(registerRequestSchema, await bodyOf(context));
  return answer(context, await registerAgent(deps, key, agent, request));
});

agentRoutes.get("/jobs", async (context) => {
  const call = await admit(context);
  const { capacity, held } = parseInput(jobsQuerySchema, context.req.query());
  const request = { capacity, held: held.map(parseHeld) };
  return answer(context, await callPool(context.get("deps"), call, (pool, caller) => pool.poll(caller, request)));
});

agentRoutes.post("/results", async (context) => {
  const call = await admit(context);
  const { results } = parseInput(resultsRequestSchema, await bodyOf(context));
  return answer(context, await callPool(context.get("deps"), call, (pool, caller) => pool.results(caller, results)));
});

agentRoutes.post("/heartbeat", async (context) => {
  const call = await admit(context);
  const request = parseInput(heartbeatRequestSchema, await bodyOf(context));
  return answer(context, await callPool(context.get("deps"), call, (pool, caller) => pool.heartbeat(caller, request)));
});

agentRoutes.post("/offline", async (context) => {
  const call = await admit(context);
  const held = parseInput(offlineRequestSchema, await bodyOf(context)).held.map(parseHeld);
  return answer(context, await callPool(context.get("deps"), call, (pool, caller) => pool.offline(caller, held)));
});

for (const path of ["/register", "/results", "/heartbeat", "/offline"]) agentRoutes.all(path, only("POST"));
agentRoutes.all("/jobs", only("GET"));

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

function answer(context: Context<AppEnv>, data: unknown): Response {
  return context.json({ success: true, data }, 200, { "Cache-Control": "no-store" });
}
