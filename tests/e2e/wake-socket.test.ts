import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { z } from "zod";
import { AgentHome } from "../agent/agent-process.ts";
import type { AgentProcess } from "../agent/agent-process.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { selfSigned } from "../support/certificate.ts";
import { eventually } from "../support/eventually.ts";
import { startHttpProxy } from "../support/http-proxy.ts";
import {
  acceptedId,
  call,
  chain,
  createAgent,
  createConnection,
  createWebhookWorkflow,
  ended,
  getExecution,
} from "../support/management.ts";
import type { Webhook } from "../support/management.ts";
import { isRunning, pidIn } from "../support/processes.ts";
import { startTcpRelay } from "../support/tcp-relay.ts";

/**
 * The compiled agent and its wake socket against the real service. The agent polls once an hour and its heartbeats are
 * too far apart to help, so only the socket can cause what happens in a test.
 */
const SELDOM = { POLL_INTERVAL: "3600", HEARTBEAT_INTERVAL: "85" };

let bellhop: Bellhop;
let home: AgentHome;
let pools = 0;

beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(async () => {
  await bellhop?.stop();
});
beforeEach(async () => {
  home = await AgentHome.make();
});
afterEach(async () => {
  await writeFile(home.path("stop"), "");
  await home.remove();
});

interface Setup {
  agentId: string;
  poolId: string;
  agent: AgentProcess;
  webhook: Webhook;
}

async function setup({
  script = "echo done",
  env = {},
  url = bellhop.url,
}: { script?: string; env?: Record<string, string>; url?: string } = {}): Promise<Setup> {
  const poolId = `wake-${++pools}`;
  const created = await createAgent(bellhop, { poolId });
  const agent = await home.start(url, { env: { ...SELDOM, AGENT_API_KEY: created.apiKey, ...env } });
  const webhook = await workflowFor(poolId, script);
  await opened(agent, 1);
  return { agentId: created.agent.id, poolId, agent, webhook };
}

async function workflowFor(poolId: string, script: string): Promise<Webhook> {
  const connectionId = await createConnection(bellhop, { type: "script", poolId });
  return createWebhookWorkflow(
    bellhop,
    chain([{ id: "run", action: "script.bash", connectionId, params: { script } }]),
  );
}

/** Waits until the socket was opened `times` times, and the poll after it was answered. */
async function opened(agent: AgentProcess, times: number): Promise<void> {
  await eventually(`wake socket ${times}`, () => agent.log().split("the wake socket is open").length > times, 30_000);
}

async function runsAtOnce({ ring }: Webhook): Promise<void> {
  const execution = await ended(bellhop, await acceptedId(await ring()));
  expect(execution.status).toBe("succeeded");
}

const outputOf = (output: unknown) => z.object({ stdout: z.string() }).safeParse(output).data?.stdout;
const manage = (method: string, path: string, body?: unknown) => call(bellhop, method, path, body, z.unknown());

describe("the wake socket of a real agent", () => {
  test("brings job after job immediately", async () => {
    const { webhook } = await setup();
    for (let count = 0; count < 3; count++) await runsAtOnce(webhook);
  });

  test("brings a cancel to an agent without a free slot", async () => {
    const script = `echo so far; echo $$ > ${home.path("pid")}; while [ -d ${home.directory} ] && [ ! -e ${home.path("stop")} ]; do sleep 0.05; done`;
    const { webhook, agent } = await setup({ script, env: { MAX_CONCURRENT_JOBS: "1" } });
    const executionId = await acceptedId(await webhook.ring());
    const pid = await pidIn(home.path("pid"));
    await manage("POST", `/executions/${executionId}/cancel`);
    await eventually("the end of the script", () => !isRunning(pid));
    await eventually("the log line", () => agent.log().includes("a job is cancelled"));
    expect((await ended(bellhop, executionId)).status).toBe("cancelled");
    await eventually("its output", async () => {
      const [run] = (await getExecution(bellhop, executionId)).nodeRuns;
      return run?.status === "cancelled" && outputOf(run.output) === "so far\n";
    });
  });

  test("reconnects with a new session when the service was restarted", async () => {
    const relay = await startTcpRelay(() => Number(new URL(bellhop.url).port));
    try {
      const { agent, webhook } = await setup({ url: `http://127.0.0.1:${relay.port}` });
      await bellhop.restartWorker();
      await opened(agent, 2);
      await runsAtOnce(webhook);
    } finally {
      await relay.close();
    }
  });

  test("moves with the agent to another pool", async () => {
    const { agent, agentId } = await setup();
    const elsewhere = `wake-${++pools}`;
    await manage("PATCH", `/agents/${agentId}`, { poolId: elsewhere });
    await opened(agent, 2);
    await runsAtOnce(await workflowFor(elsewhere, "echo moved"));
  });

  test("brings the jobs that waited for a disabled agent when it is enabled again", async () => {
    const { agentId, webhook } = await setup();
    await manage("POST", `/agents/${agentId}/disable`);
    const executionId = await acceptedId(await webhook.ring());
    await manage("POST", `/agents/${agentId}/enable`);
    expect((await ended(bellhop, executionId)).status).toBe("succeeded");
  });

  test("informs the agent immediately that it was disabled, and enabled again", async () => {
    const { agent, agentId } = await setup();
    await opened(agent, 1);
    await manage("POST", `/agents/${agentId}/disable`);
    await eventually("the log line", () => agent.log().includes("this agent is disabled"));
    await opened(agent, 2);
    await manage("POST", `/agents/${agentId}/enable`);
    await eventually("the log line", () => agent.log().includes("this agent is enabled again"));
  });

  test("closes when its key is replaced, and the agent says what to do", async () => {
    const { agent, agentId, webhook } = await setup();
    const answer = z.object({ apiKey: z.string() });
    const { apiKey } = await call(bellhop, "POST", `/agents/${agentId}/regenerate-key`, undefined, answer);
    await eventually("the log line with the advice", () => agent.log().includes("set AGENT_API_KEY to the key"));
    agent.kill("SIGKILL");
    await agent.exited;
    const next = await home.start(bellhop.url, { env: { ...SELDOM, AGENT_API_KEY: apiKey } });
    await opened(next, 1);
    await runsAtOnce(webhook);
  });

  test("is not needed to repeat results that the service could not record", async () => {
    const script = `echo so far; echo $$ > ${home.path("pid")}; while [ -d ${home.directory} ] && [ ! -e ${home.path("stop")} ]; do sleep 0.05; done`;
    const { agent, webhook } = await setup({ script });
    const executionId = await acceptedId(await webhook.ring());
    await pidIn(home.path("pid"));
    await bellhop.stopLibsql();
    try {
      await writeFile(home.path("stop"), "");
      await eventually("the refusal", () => agent.log().includes("the service could not store results yet"), 30_000);
    } finally {
      await bellhop.startLibsql();
    }
    expect((await ended(bellhop, executionId)).status).toBe("succeeded");
  });

  test("passes a proxy that requires credentials", async () => {
    const host = "bellhop.test.invalid";
    const certificate = await selfSigned(`DNS:${host}`);
    await writeFile(home.path("ca.pem"), certificate.cert);
    const front = createTlsServer(certificate, (outer) => {
      const inner = connect({ host: "127.0.0.1", port: Number(new URL(bellhop.url).port) });
      inner.on("error", () => outer.destroy());
      outer.on("error", () => inner.destroy());
      outer.pipe(inner).pipe(outer);
    });
    await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
    const address = front.address();
    const targetPort = address !== null && typeof address === "object" ? address.port : 0;
    const authorization = `Basic ${Buffer.from("ada:pr0xy").toString("base64")}`;
    const proxy = await startHttpProxy({ authorization, targetPort });
    try {
      const { webhook } = await setup({
        url: `https://${host}`,
        env: { HTTPS_PROXY: `http://ada:pr0xy@127.0.0.1:${proxy.port}`, NODE_EXTRA_CA_CERTS: home.path("ca.pem") },
      });
      await runsAtOnce(webhook);
      expect(proxy.heads.every((head) => head.startsWith(`CONNECT ${host}:443 `))).toBe(true);
    } finally {
      await proxy.close();
      front.close();
    }
  });
});
