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

test("an unreachable service that has never answered: the advice names AGENT_API_URL and HTTPS_PROXY", () => {
  const error = new CallError("unreachable", "/register did not reach the service");
  expect(adviceFor(error, false)).toMatch(/AGENT_API_URL.*HTTPS_PROXY/u);
  expect(adviceFor(error, true)).not.toContain("AGENT_API_URL");
});

test.each(["EPROTO", "ECONNRESET"])(
  "%s from a service that has never answered: the advice says that its port may not speak TLS",
  (code) => {
    const error = new CallError("unreachable", "/register failed", { cause: Object.assign(new Error(code), { code }) });
    expect(adviceFor(error, false)).toMatch(/AGENT_API_URL.*must speak TLS.*127\.0\.0\.1/u);
    expect(adviceFor(error, true)).not.toContain("AGENT_API_URL");
  },
);

describe("the log of failed calls", () => {
  const lines = (agent: Parts) => agent.logLines.filter((line) => line.includes('"level":"WARNING"'));

  test("says that the service broke a connection that had worked, without advice about the address", async () => {
    const agent = await started();
    const relay = await startTcpRelay(Number(new URL(agent.service.url).port));
    const relayed = await Parts.start({ apiUrl: `http://127.0.0.1:${relay.port}` });
    try {
      await relayed.poll();
      await relay.close();
      expect((await relayed.poll()).firm).toBe(true);
      const [line = ""] = lines(relayed);
      expect(line).toContain("the agent tries again");
      expect(line).not.toMatch(/AGENT_API_URL|HTTPS_PROXY|verbose/u);
    } finally {
      await relayed.stop();
    }
  });

  test("says that the service broke the connection when an answer was cut off", async () => {
    const agent = await started();
    await agent.poll();
    agent.service.fault("jobs", "lose_answer");
    await agent.poll();
    const [line = ""] = lines(agent);
    expect(line).toContain("the service closed the connection; the agent tries again");
    expect(line).not.toMatch(/AGENT_API_URL|HTTPS_PROXY|verbose/u);
  });

  test("has one warning per outage, for any calls and number of failures, and one line at its end", async () => {
    const agent = await started();
    await agent.poll();
    for (let attempts = 0; attempts < 3; attempts++) {
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

  test("has a second warning when the cause of an outage changes", async () => {
    const agent = await started();
    await agent.poll();
    agent.service.refuseOnce("jobs", 503, "unavailable");
    await agent.poll();
    agent.service.refuseOnce("jobs", 401, "unauthorized");
    await agent.poll();
    expect(lines(agent)).toHaveLength(2);
  });

  test("says once what to do about a wrong key", async () => {
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
