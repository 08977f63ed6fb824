import { afterEach, describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { Parts } from "./parts.ts";
import type { PartsOptions } from "./parts.ts";

let parts: Parts | undefined;
afterEach(async () => {
  await parts?.stop();
  parts = undefined;
});

async function started(options?: PartsOptions): Promise<Parts> {
  parts = await Parts.start(options);
  return parts;
}

describe("a job that cannot be done is reported failed", () => {
  const cases: [string, object, string][] = [
    ["an action that this agent does not have", { action: "script.cobol" }, "unsupported_action"],
    ["an action named like something every object has", { action: "constructor" }, "unsupported_action"],
    [
      "a connection type that this agent has no executor for",
      { connection: { id: "c", type: "winrm", config: {} } },
      "unsupported_action",
    ],
    [
      "a connection type that only newer agents know",
      { action: "redis.get", connection: { id: "c", type: "redis", config: {} } },
      "unsupported_action",
    ],
    ["a credential sync that says nothing", { kind: "credentialSync", action: null, params: {} }, "invalid_params"],
    ["an action without a connection", { connection: null }, "invalid_job"],
    ["a kind that nobody knows", { kind: "dance" }, "invalid_job"],
    ["no action in a job of kind action", { action: null }, "invalid_job"],
    ["a time limit that is none", { timeoutSeconds: -1 }, "invalid_job"],
    ["parameters that are no object", { params: "rm -rf /" }, "invalid_job"],
    ["a connection whose id is a path", { connection: { id: "../x", type: "script", config: {} } }, "invalid_job"],
    [
      "a connection whose credential was not delivered",
      {
        action: "script.bash",
        connection: { id: "con_9", type: "ssh", config: { host: "h", username: "u", authMethod: "password" } },
      },
      "credential_missing",
    ],
  ];
  for (const [what, changes, code] of cases) {
    test(what, async () => {
      const agent = await started();
      const { id } = agent.service.enqueue();
      agent.service.change(id, changes);
      await agent.poll();
      await agent.runner.idle();
      await agent.poll();
      await agent.poll();
      expect(agent.executor.begun).toEqual([]);
      expect(agent.service.resultsOf(id)).toMatchObject([
        { status: "failed", output: null, error: { code }, ack: "accepted" },
      ]);
    });
  }

  test("what there is no executor for says which action that is, and what to do", async () => {
    const agent = await started();
    const { id } = agent.service.enqueue();
    agent.service.change(id, { action: "os.restartService", connection: { id: "c", type: "osService", config: {} } });
    await agent.poll();
    await agent.runner.idle();
    await agent.poll();
    expect(agent.service.resultsOf(id)[0]?.error?.message).toStartWith(
      "This agent's version cannot run os.restartService: it has no executor for it on a connection of type osService. Update the agent",
    );
  });

  test("fields that this version does not know are no reason", async () => {
    const agent = await started();
    const { id } = agent.service.enqueue();
    agent.service.change(id, { priority: "high", connection: { id: "c", type: "script", config: {}, region: "eu" } });
    await agent.poll();
    expect(agent.executor.timesBegun(id)).toBe(1);
  });
});

test("a connection test reports its checks, and a failed check is an answer", async () => {
  const agent = await started();
  const { id } = agent.service.enqueue({ kind: "connectionTest", action: null, params: {} });
  await agent.poll();
  await agent.runner.idle();
  await agent.poll();
  expect(agent.service.resultsOf(id)[0]).toMatchObject({
    status: "succeeded",
    output: {
      ok: false,
      latencyMs: 0,
      checks: [
        { name: "connect", ok: true },
        { name: "login", ok: false },
      ],
    },
  });
});

test("a connection test that failed is told as such in the log, without an action that it has not", async () => {
  const agent = await started();
  agent.service.enqueue({ kind: "connectionTest", action: null, params: {} });
  await agent.poll();
  await agent.runner.idle();
  const said = (text: string) => JSON.parse(agent.logLines.find((line) => line.includes(text)) ?? "{}");
  expect(said("a job is done")).toMatchObject({ status: "succeeded", ok: false, reason: "login: refused" });
  expect(said("a job begins")).toMatchObject({ kind: "connectionTest" });
  expect(said("a job begins")).not.toHaveProperty("action");
});

describe("cancelling", () => {
  test("stops a running job, which reports what it has", async () => {
    const agent = await started();
    const { id } = agent.service.enqueue();
    await agent.poll();
    agent.service.cancel(id);
    await agent.poll();
    await eventually("the end", () => agent.runner.size === 0);
    await agent.poll();
    expect(agent.service.resultsOf(id)).toMatchObject([
      { status: "cancelled", error: { code: "cancelled" }, output: { stdout: "so far" } },
    ]);
  });

  test("of an older lease does not touch the job that runs under a newer one", async () => {
    const agent = await started();
    const { id } = agent.service.enqueue();
    await agent.poll();
    const old = agent.service.leaseOf(id);
    agent.service.assignAgain(id);
    await agent.poll();
    agent.service.rawCancels.push({ jobId: id, lease: old });
    await agent.poll();
    expect(agent.executor.begun[0]?.signal.aborted).toBe(false);
    agent.service.cancel(id);
    await agent.heartbeat();
    await eventually("the end", () => agent.runner.size === 0);
  });
});

test("a job that comes again before the journal knows that it begins runs once", async () => {
  const agent = await started();
  const job = { ...agent.service.enqueue(), lease: "lease-1" };
  expect(await Promise.all([agent.runner.start(job), agent.runner.start(job)])).toEqual([true, false]);
  await eventually("the beginning", () => agent.executor.begun.length > 0);
  agent.executor.end(job.id);
  await agent.runner.idle();
  expect(agent.executor.begun).toHaveLength(1);
});

test("a job that exceeds its time limit is timed out with what it has", async () => {
  const agent = await started();
  const { id } = agent.service.enqueue({ timeoutSeconds: 0.02 });
  await agent.poll();
  await eventually("the end", () => agent.runner.size === 0);
  await agent.poll();
  expect(agent.service.resultsOf(id)).toMatchObject([
    { status: "timed_out", error: { code: "timed_out" }, output: { stdout: "so far" } },
  ]);
});

test("a job whose executor does not come back is reported all the same, and frees its place", async () => {
  const agent = await started({ stopGraceMs: 20, maxConcurrentJobs: 1 });
  agent.executor.obeysStop = false;
  const { id } = agent.service.enqueue({ timeoutSeconds: 0.02 });
  await agent.poll();
  await eventually("the end", () => agent.runner.size === 0);
  await agent.poll();
  const [result] = agent.service.resultsOf(id);
  expect(result).toMatchObject({ status: "timed_out", output: null });
  expect(result?.error?.message).toContain("may still be running");
});

test("an output above its limit is cut and says so", async () => {
  const agent = await started();
  const { id } = agent.service.enqueue();
  await agent.poll();
  agent.executor.end(id, { status: "succeeded", output: { stdout: "é".repeat(600_000) } });
  await eventually("the end", () => agent.runner.size === 0);
  await agent.poll();
  const output = agent.service.resultsOf(id)[0]?.output;
  expect(output?.["truncated"]).toBe(true);
  expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThanOrEqual(512 * 1024);
});

test("a message or code of an executor that the contract does not allow does not keep the result from arriving", async () => {
  const agent = await started();
  agent.executor.answer = { status: "failed", output: null, error: { code: "Bad Code!", message: "x".repeat(50_000) } };
  const { id } = agent.service.enqueue();
  await agent.poll();
  await eventually("the end", () => agent.runner.size === 0);
  await agent.poll();
  expect(agent.service.resultsOf(id)).toMatchObject([{ status: "failed", error: { code: "failed" } }]);
});

test("a job whose first line the disk has not taken yet is named as beginning", async () => {
  const agent = await started();
  const job = { ...agent.service.enqueue({ id: "job1" }), lease: "lease1" };
  const begun = agent.runner.start(job);
  expect(agent.runner.beginning()).toEqual([{ jobId: "job1", lease: "lease1" }]);
  expect(await begun).toBe(true);
  expect(agent.runner.beginning()).toEqual([]);
  expect(agent.journal.held()).toEqual([{ jobId: "job1", lease: "lease1" }]);
});
