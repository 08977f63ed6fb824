import { afterEach, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { eventually } from "../support/eventually.ts";
import { FAKE_AGENT_KEY } from "../support/fake-service.ts";
import { refuse } from "../support/fake-service-http.ts";
import { startTcpRelay } from "../support/tcp-relay.ts";
import { Parts } from "./parts.ts";
import type { PartsOptions } from "./parts.ts";

let parts: Parts | undefined;
let server: Server | undefined;
const sockets = new Set<Socket>();
afterEach(async () => {
  await parts?.stop();
  parts = undefined;
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server?.close();
  server = undefined;
});

async function started(options?: PartsOptions): Promise<Parts> {
  parts = await Parts.start(options);
  return parts;
}

/** The level of each log line about being disabled or enabled, and which of the two it says. */
function enabledLines(agent: Parts): string[] {
  return agent.logLines.flatMap((line) => {
    const state = /"message":"this agent is (disabled|enabled)/u.exec(line)?.[1];
    return state === undefined ? [] : [`${/"level":"(\w+)"/u.exec(line)?.[1]} ${state}`];
  });
}

/** Starts a TCP server that runs `onRequest` instead of HTTP, and returns its address. */
async function rawServer(onRequest: (socket: Socket) => void): Promise<string> {
  const raw = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => onRequest(socket));
  });
  server = raw;
  await new Promise<void>((resolve) => raw.listen(0, "127.0.0.1", resolve));
  const address = raw.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

describe("registration", () => {
  test("sends identity, public key and capabilities, once for concurrent calls", async () => {
    const agent = await started();
    await Promise.all([agent.poll(), agent.heartbeat()]);
    expect(agent.service.registrations).toHaveLength(1);
    expect(agent.service.registrations[0]).toMatchObject({
      journalId: agent.journal.journalId,
      publicKey: agent.vault.publicKey,
      capabilities: ["script"],
    });
  });

  test("is retried until it succeeds, with growing waits", async () => {
    const agent = await started({ random: () => 1 });
    for (let index = 0; index < 8; index++) agent.service.refuseOnce("register", 503, "unavailable");
    await agent.poll();
    expect(agent.waits.map((ms) => ms / 1_000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(agent.activity.lastPollAt).not.toBeNull();
  });

  test("says what to do when the service does not know the key", async () => {
    const agent = await started({ apiKey: FAKE_AGENT_KEY.replace("s3cret", "other7") });
    const stop = new AbortController();
    const poll = agent.poll(stop.signal);
    await eventually("advice in the log", () =>
      agent.logLines.some((line) => line.includes("set AGENT_API_KEY to the key that was shown")),
    );
    agent.link.stop();
    stop.abort();
    expect((await poll).firm).toBe(true);
  });

  test("is repeated when the service asks for it, and the call then succeeds", async () => {
    const agent = await started();
    await agent.poll();
    agent.service.refuseSession("register_again");
    agent.service.enqueue();
    await agent.poll();
    expect(agent.service.registrations).toHaveLength(2);
    expect(agent.executor.begun).toHaveLength(1);
  });

  test("is repeated once when concurrent calls are refused", async () => {
    const agent = await started();
    await agent.poll();
    agent.service.refuseSession("register_again");
    await Promise.all([agent.poll(), agent.heartbeat()]);
    expect(agent.service.registrations).toHaveLength(2);
  });

  test("is repeated only once per call, then the call fails and backs off", async () => {
    const agent = await started();
    await agent.poll();
    agent.service.refuseOnce("jobs", 409, "register_again");
    agent.service.refuseOnce("jobs", 409, "register_again");
    expect((await agent.poll()).firm).toBe(true);
    expect(agent.service.registrations).toHaveLength(2);
  });
});

test("superseded ends the agent; any other conflict leads to a back-off", async () => {
  const agent = await started();
  await agent.poll();
  agent.service.refuseOnce("jobs", 409, "conflict");
  expect((await agent.poll()).firm).toBe(true);
  expect(agent.superseded).toBe(0);
  agent.service.refuseSession("superseded");
  await agent.poll();
  expect(agent.superseded).toBe(1);
});

describe("the heartbeat", () => {
  test("reports held jobs, the load and the credentials", async () => {
    const agent = await started();
    const { id } = agent.service.enqueue();
    await agent.poll();
    await agent.vault.put("con_1", { secrets: { password: "pass" } }, 3);
    const { delayMs } = await agent.heartbeat();
    expect(delayMs).toBe(28_500);
    expect(agent.service.heartbeats).toEqual([
      {
        held: [`${id}:${agent.service.leaseOf(id)}`],
        load: 1,
        version: expect.any(String),
        credentials: [{ connectionId: "con_1", version: 3, target: null, changedAt: expect.any(String) }],
      },
    ]);
  });

  test("logs when the agent is disabled and when it is enabled again", async () => {
    const agent = await started();
    await agent.heartbeat();
    for (const enabled of [false, false, true]) {
      agent.service.enabled = enabled;
      await agent.heartbeat();
    }
    expect(enabledLines(agent)).toEqual(["WARNING disabled", "INFO enabled"]);
  });

  test("logs each change once, also when the registration reports it first", async () => {
    const agent = await started();
    await agent.heartbeat();
    expect(enabledLines(agent)).toEqual([]);
    for (const enabled of [false, false, true, true]) {
      agent.service.enabled = enabled;
      agent.service.refuseSession("register_again");
      await agent.poll();
      await agent.heartbeat();
    }
    expect(enabledLines(agent)).toEqual(["WARNING disabled", "INFO enabled"]);
  });

  test("is repeated soon after a failure, so that the agent does not count as offline", async () => {
    const agent = await started({ random: () => 1 });
    await agent.heartbeat();
    const waits = [];
    for (let index = 0; index < 8; index++) {
      agent.service.fault("heartbeat", "lose_answer");
      waits.push((await agent.heartbeat()).delayMs / 1_000);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
  });
});

test("connections that the network silently dropped cost one time-out, and the next call succeeds", async () => {
  const agent = await started();
  const relay = await startTcpRelay(Number(new URL(agent.service.url).port));
  const relayed = await Parts.start({ callTimeoutMs: 2_000, apiUrl: `http://127.0.0.1:${relay.port}` });
  try {
    agent.service.enqueue();
    // The relay forwards to the first agent's service.
    await relayed.poll();
    relay.freeze();
    expect((await relayed.poll()).firm).toBe(true);
    expect(relayed.activity.lastError).toContain("no complete answer");
    expect((await relayed.poll()).firm).toBe(false);
    expect(relayed.executor.begun).toHaveLength(1);
  } finally {
    await relayed.stop();
    await relay.close();
  }
});

describe("a hostile or broken service", () => {
  test("that never answers blocks no call beyond its time-out", async () => {
    const agent = await started({ callTimeoutMs: 100, apiUrl: await rawServer(() => undefined) });
    const stop = new AbortController();
    const poll = agent.poll(stop.signal);
    await eventually("two calls that ended", () => agent.activity.failedCalls >= 2);
    stop.abort();
    agent.link.stop();
    await poll;
    expect(agent.activity.lastError).toContain("no complete answer within 0.1 s");
  });

  test("that stops in the middle of an answer blocks no call beyond its time-out", async () => {
    const agent = await started({ callTimeoutMs: 2_000 });
    await agent.heartbeat();
    agent.service.fault("jobs", (_request, response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      response.write('{"success":true,');
    });
    expect((await agent.poll()).firm).toBe(true);
    expect(agent.activity.lastError).toContain("no complete answer");
  });

  test("that answers without end gets its answer cut off", async () => {
    const agent = await started({ answerMaxBytes: 1_000_000 });
    await agent.heartbeat();
    let written = 0;
    agent.service.fault("jobs", (_request, response) => {
      const chunk = "x".repeat(65_536);
      const write = () => {
        written += chunk.length;
        if (!response.destroyed && written < 200_000_000) response.write(chunk, () => setImmediate(write));
      };
      write();
    });
    expect((await agent.poll()).firm).toBe(true);
    expect(agent.activity.lastError).toContain("an answer that is too large");
    expect(written).toBeLessThan(100_000_000);
  });

  test("that redirects never gets the key at the redirect's target", async () => {
    let followed = false;
    const elsewhere = await rawServer(() => {
      followed = true;
    });
    const agent = await started();
    await agent.heartbeat();
    for (const status of [301, 302, 303, 307, 308]) {
      agent.service.fault("jobs", (_request, response) => {
        response.writeHead(status, { Location: `${elsewhere}/api/v1/agent/jobs` });
        response.end();
      });
      expect((await agent.poll()).firm).toBe(true);
      expect(agent.activity.lastError).toContain("redirected");
    }
    expect(followed).toBe(false);
  });

  for (const [what, body] of [
    ["HTML", "<html>hello</html>"],
    ["another shape", '{"success":true,"data":{"jobs":{},"cancelled":[]}}'],
    ["a cancellation that is a path", '{"success":true,"data":{"jobs":[],"cancelled":[{"jobId":"../x","lease":"l"}]}}'],
    ["success false", '{"success":false,"data":{"jobs":[],"cancelled":[]}}'],
    ["JSON nested without end", `{"success":true,"data":${"[".repeat(200_000)}`],
  ]) {
    test(`that answers with ${what} causes a back-off`, async () => {
      const agent = await started();
      await agent.heartbeat();
      agent.service.fault("jobs", (_request, response) => response.end(body));
      expect((await agent.poll()).firm).toBe(true);
      expect(agent.activity.lastError).toContain("an answer of an unexpected form");
    });
  }

  test("that sends 20,000 jobs gets as many begun as the capacity allows", async () => {
    const agent = await started({ maxConcurrentJobs: 3 });
    const pattern = agent.service.enqueue();
    agent.service.rawJobs.push(
      ...Array.from({ length: 20_000 }, (_, index) => ({ ...pattern, id: `flood${index}`, lease: `f${index}` })),
    );
    await agent.poll();
    expect(agent.runner.size).toBe(3);
    expect(agent.journal.held()).toHaveLength(3);
  });

  test("that sends 5,000 broken jobs gets as many refusals as the capacity allows", async () => {
    const agent = await started({ maxConcurrentJobs: 3 });
    agent.service.rawJobs.push(
      ...Array.from({ length: 5_000 }, (_, index) => ({ id: `x${index}`, lease: `f${index}` })),
    );
    await agent.poll();
    expect(agent.service.results).toHaveLength(3);
  });

  test("that refuses with a megabyte of detail is logged in short", async () => {
    const agent = await started();
    await agent.heartbeat();
    agent.service.fault("jobs", (_request, response) =>
      refuse(response, 500, "internal_error", { detail: "x".repeat(1_000_000) }),
    );
    await agent.poll();
    expect((agent.activity.lastError ?? "").length).toBeLessThan(3_000);
  });
});
