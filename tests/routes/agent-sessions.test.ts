import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { z } from "zod";
import { SESSION_HEADER } from "../../schema/contract/agent.ts";
import { problemSchema } from "../../schema/contract/problem.ts";
import { openSession, signSession } from "../../worker/services/agent-calls/session.ts";
import type { AgentSession } from "../../worker/services/agent-calls/session.ts";
import { AgentClient, jobsPath } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { call, createAgent } from "../support/management.ts";

let bellhop: Bellhop;
let pools = 0;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop?.stop());

interface Agent {
  id: string;
  client: AgentClient;
}

async function registered(poolId = `s-${++pools}`): Promise<Agent> {
  const { agent, apiKey } = await createAgent(bellhop, { name: "one of many", poolId });
  const client = new AgentClient(bellhop, apiKey);
  await client.register();
  return { id: agent.id, client };
}

/** The isolate forgets every key, as it does for most agents of a deployment with more agents than it remembers. */
function forgetKeys(): Promise<void> {
  return bellhop.restartWorker();
}

/** Every call that needs an answer from libSQL fails. */
async function withoutLibsql(work: () => Promise<unknown>): Promise<void> {
  await bellhop.stopLibsql();
  try {
    await work();
  } finally {
    await bellhop.startLibsql();
  }
}

async function refusalOf(response: Promise<Response>): Promise<[status: number, code: string]> {
  const answer = await response;
  expect(answer.headers.get(SESSION_HEADER)).toBeNull();
  return [answer.status, problemSchema.parse(await answer.json()).code];
}

const poll = ({ client }: Agent) => client.send("GET", jobsPath());

async function manage({ id }: Agent, verb: string): Promise<void> {
  expect((await bellhop.api("POST", `/api/v1/automation/agents/${id}/${verb}`)).status).toBe(200);
}

function opened({ client }: Agent): AgentSession {
  const session = openSession(bellhop.serverSecret, client.session ?? "");
  if (session === null) throw new Error("the session does not open");
  return session;
}

describe("an agent whose key the isolate does not remember", () => {
  let agent: Agent;
  beforeEach(async () => {
    agent = await registered();
    await forgetKeys();
  });

  test("polls, sends heartbeats and deregisters without a query", async () => {
    await withoutLibsql(async () => {
      const { client } = agent;
      const answer = await client.send("GET", jobsPath());
      expect([answer.status, answer.headers.get(SESSION_HEADER)]).toEqual([200, null]);
      expect(await client.heartbeat()).toEqual({ enabled: true, cancelled: [] });
      expect((await client.send("POST", "/offline", { held: [] })).status).toBe(200);
    });
  });

  test("is refused with its next call after its key was regenerated, and repeats cost no query", async () => {
    const renewed = await call(
      bellhop,
      "POST",
      `/agents/${agent.id}/regenerate-key`,
      undefined,
      z.object({ apiKey: z.string() }),
    );
    expect(await refusalOf(poll(agent))).toEqual([401, "unauthorized"]);
    await withoutLibsql(async () => {
      for (let calls = 0; calls < 20; calls += 1) expect((await poll(agent)).status).toBe(401);
    });
    // The new key in the same process: its session was issued for the old key and is replaced.
    agent.client.key = renewed.apiKey;
    const answer = await poll(agent);
    expect(answer.status).toBe(200);
    agent.client.session = answer.headers.get(SESSION_HEADER);
    await forgetKeys();
    await withoutLibsql(() => agent.client.poll());
  });

  test("is refused with its next call after it was deleted", async () => {
    expect((await bellhop.api("DELETE", `/api/v1/automation/agents/${agent.id}`)).status).toBe(200);
    expect(await refusalOf(poll(agent))).toEqual([401, "unauthorized"]);
    await forgetKeys();
    expect(await refusalOf(poll(agent))).toEqual([401, "unauthorized"]);
  });

  test("learns that it was disabled, and gets a session that makes its next calls free of queries", async () => {
    await manage(agent, "disable");
    const answer = await poll(agent);
    expect(answer.status).toBe(200);
    agent.client.session = answer.headers.get(SESSION_HEADER);
    await forgetKeys();
    await withoutLibsql(async () => {
      expect((await agent.client.heartbeat()).enabled).toBe(false);
      expect(await agent.client.poll()).toEqual({ jobs: [], cancelled: [] });
    });
  });

  test("may keep its session although it was offered another one", async () => {
    await manage(agent, "disable");
    await manage(agent, "enable");
    for (let calls = 0; calls < 3; calls += 1) {
      const answer = await poll(agent);
      expect(answer.status).toBe(200);
      expect(answer.headers.get(SESSION_HEADER)).not.toBeNull();
    }
  });

  test("gets register_again after a move; after the move back its earlier session is checked again", async () => {
    const before = agent.client.session;
    const move = async (poolId: string) => {
      expect((await bellhop.api("PATCH", `/api/v1/automation/agents/${agent.id}`, { poolId })).status).toBe(200);
    };
    const former = opened(agent).poolObject.slice("pool:".length);
    await move(`s-${++pools}`);
    expect(await refusalOf(poll(agent))).toEqual([409, "register_again"]);
    await agent.client.register();
    expect((await poll(agent)).status).toBe(200);
    await move(former);
    expect(await refusalOf(poll(agent))).toEqual([409, "register_again"]);
    await forgetKeys();
    agent.client.session = before;
    const answer = await poll(agent);
    expect([answer.status, answer.headers.get(SESSION_HEADER) === null]).toEqual([200, false]);
  });

  test("gets superseded after another process has registered", async () => {
    const second = new AgentClient(bellhop, agent.client.key);
    await second.register();
    expect(await refusalOf(poll(agent))).toEqual([409, "superseded"]);
    expect(await second.poll()).toEqual({ jobs: [], cancelled: [] });
  });
});

test.each([
  ["without a verified key", () => null],
  [
    "whose verification of the key has expired",
    ({ verified }: AgentSession) => (verified === null ? null : { ...verified, until: 1 }),
  ],
])("a session %s is accepted and replaced by a current one", async (_which, verified) => {
  const agent = await registered();
  const session = opened(agent);
  agent.client.session = signSession(bellhop.serverSecret, { ...session, verified: verified(session) });
  await forgetKeys();
  const answer = await poll(agent);
  expect(answer.status).toBe(200);
  agent.client.session = answer.headers.get(SESSION_HEADER);
  await forgetKeys();
  await withoutLibsql(() => agent.client.poll());
});

test("a stolen session is useless without the agent's key", async () => {
  const [agent, thief] = [await registered(), await registered()];
  const own = thief.client.session;
  await forgetKeys();
  thief.client.session = agent.client.session;
  expect(await refusalOf(poll(thief))).toEqual([409, "register_again"]);
  thief.client.key = opened(agent).verified?.keyDigest ?? "";
  expect(await refusalOf(poll(thief))).toEqual([401, "unauthorized"]);
  // The reverse: the agent's key with a session that names another agent.
  agent.client.session = own;
  expect(await refusalOf(poll(agent))).toEqual([409, "register_again"]);
});
