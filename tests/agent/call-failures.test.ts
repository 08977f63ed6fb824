import { afterEach, describe, expect, test } from "bun:test";
import { CallError } from "../../agent/service/call-error.ts";
import { adviceFor } from "../../agent/service/retry.ts";
import { startTcpRelay } from "../support/tcp-relay.ts";
import { Parts } from "./parts.ts";

let parts: Parts | undefined;
afterEach(async () => {
  await parts?.stop();
  parts = undefined;
});

async function started(): Promise<Parts> {
  parts = await Parts.start();
  return parts;
}

test("a service that has never answered may be at another address, or behind a proxy", () => {
  const error = new CallError("unreachable", "/register did not reach the service");
  expect(adviceFor(error, false)).toMatch(/AGENT_API_URL.*HTTPS_PROXY/u);
  expect(adviceFor(error, true)).not.toContain("AGENT_API_URL");
});

test.each(["EPROTO", "ECONNRESET"])("%s from a service that has never answered: its port may not speak TLS", (code) => {
  const error = new CallError("unreachable", "/register failed", { cause: Object.assign(new Error(code), { code }) });
  expect(adviceFor(error, false)).toMatch(/AGENT_API_URL.*must speak TLS.*127\.0\.0\.1/u);
  expect(adviceFor(error, true)).not.toContain("AGENT_API_URL");
});

describe("the lines about a call that failed", () => {
  const lines = (agent: Parts) => agent.logLines.filter((line) => line.includes('"level":"WARNING"'));

  test("say of a connection that had worked that the service broke it, and nothing to programmers", async () => {
    const agent = await started();
    const relay = await startTcpRelay(Number(new URL(agent.service.url).port));
    const relayed = await Parts.start({ apiUrl: `http://127.0.0.1:${relay.port}` });
    try {
      await relayed.poll();
      await relay.close();
      expect((await relayed.poll()).firm).toBe(true);
      const [line = ""] = lines(relayed);
      expect(line).toContain("it is tried again");
      expect(line).not.toMatch(/AGENT_API_URL|HTTPS_PROXY|verbose/u);
    } finally {
      await relayed.stop();
    }
  });

  test("say of an answer that was cut off that the service broke the connection", async () => {
    const agent = await started();
    await agent.poll();
    agent.service.fault("jobs", "lose_answer");
    await agent.poll();
    const [line = ""] = lines(agent);
    expect(line).toContain("the service broke the connection; it is tried again");
    expect(line).not.toMatch(/AGENT_API_URL|HTTPS_PROXY|verbose/u);
  });

  test("are one warning for an outage, whichever calls fail in it and how often, and one line when it is over", async () => {
    const agent = await started();
    await agent.poll();
    for (let tries = 0; tries < 3; tries++) {
      agent.service.refuseOnce("jobs", 503, "unavailable");
      agent.service.refuseOnce("heartbeat", 503, "unavailable");
      await agent.poll();
      await agent.heartbeat();
    }
    expect(lines(agent)).toHaveLength(1);
    const ends = () => agent.logLines.filter((line) => line.includes("the service answers again"));
    await agent.heartbeat();
    expect(ends()).toEqual([]);
    await agent.poll();
    await agent.poll();
    expect(ends()).toHaveLength(1);
    agent.service.refuseOnce("jobs", 503, "unavailable");
    await agent.poll();
    expect(lines(agent)).toHaveLength(2);
  });

  test("are a second warning when the cause of the outage changes", async () => {
    const agent = await started();
    await agent.poll();
    agent.service.refuseOnce("jobs", 503, "unavailable");
    await agent.poll();
    agent.service.refuseOnce("jobs", 401, "unauthorized");
    await agent.poll();
    expect(lines(agent)).toHaveLength(2);
  });

  test("say of a wrong key what to do once", async () => {
    const agent = await started();
    await agent.poll();
    agent.service.refuseOnce("jobs", 401, "unauthorized");
    await agent.poll();
    const line = lines(agent).find((found) => found.includes("401")) ?? "{}";
    expect(JSON.parse(line)).toMatchObject({
      error: "/jobs was refused with 401, unauthorized",
      advice: expect.stringContaining("set AGENT_API_KEY to the key"),
    });
  });
});
