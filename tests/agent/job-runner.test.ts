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

describe("a job that cannot run is reported as failed", () => {
  const cases: [string, object, string][] = [
    ["an unknown action", { action: "script.cobol" }, "unsupported_action"],
    ["an action named like a property of every object", { action: "constructor" }, "unsupported_action"],
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
    ["an empty credential sync", { kind: "credentialSync", action: null, params: {} }, "invalid_params"],
    ["an action without a connection", { connection: null }, "invalid_job"],
    ["an unknown kind", { kind: "dance" }, "invalid_job"],
    ["no action in a job of kind action", { action: null }, "invalid_job"],
    ["a negative time limit", { timeoutSeconds: -1 }, "invalid_job"],
    ["parameters that are not an object", { params: "rm -rf /" }, "invalid_job"],
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

  test("with the name of the missing executor's action and what to do", async () => {
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
});

test("a job with unknown fields runs", async () => {
  const agent = await started();
  const { id } = agent.service.enqueue();
  agent.service.change(id, { priority: "high", connection: { id: "c", type: "script", config: {}, region: "eu" } });
  await agent.poll();
  expect(agent.executor.timesBegun(id)).toBe(1);
});

test("a connection test reports its checks, and succeeds even with a failed check", async () => {
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

test("a failed connection test is logged with its reason, and without an action", async () => {
  const agent = await started();
  agent.service.enqueue({ kind: "connectionTest", action: null, params: {} });
  await agent.poll();
  await agent.runner.idle();
  const said = (text: string) => JSON.parse(agent.logLines.find((line) => line.includes(text)) ?? "{}");
  expect(said("a job is done")).toMatchObject({ status: "succeeded", ok: false, reason: "login: refused" });
  expect(said("a job begins")).toMatchObject({ kind: "connectionTest" });
  expect(said("a job begins")).not.toHaveProperty("action");
});

describe("a cancel", () => {
  test("stops a running job, which reports its output so far", async () => {
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

  test("of an older lease does not stop the job under its newer lease", async () => {
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

test("a job that arrives twice before the journal records its begin runs once", async () => {
  const agent = await started();
  const job = { ...agent.service.enqueue(), lease: "lease-1" };
  expect(await Promise.all([agent.runner.start(job), agent.runner.start(job)])).toEqual([true, false]);
  await eventually("the beginning", () => agent.executor.begun.length > 0);
  agent.executor.end(job.id);
  await agent.runner.idle();
  expect(agent.executor.begun).toHaveLength(1);
});

test("a job beyond its time limit is timed_out, with its output so far", async () => {
  const agent = await started();
  const { id } = agent.service.enqueue({ timeoutSeconds: 0.02 });
  await agent.poll();
  await eventually("the end", () => agent.runner.size === 0);
  await agent.poll();
  expect(agent.service.resultsOf(id)).toMatchObject([
    { status: "timed_out", error: { code: "timed_out" }, output: { stdout: "so far" } },
  ]);
});

test("a job whose executor never returns is reported, and no longer takes up capacity", async () => {
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

test("an output above its limit is cut and marked as truncated", async () => {
  const agent = await started();
  const { id } = agent.service.enqueue();
  await agent.poll();
  agent.executor.end(id, { status: "succeeded", output: { stdout: "é".repeat(600_000) } });
  await eventually("the end", () => agent.runner.size === 0);
  await agent.poll();
  const output = agent.service.resultsOf(id)[0]?.output;
  expect(output?.["truncated"]).toBe(true);
  expect(output?.["droppedBytes"]).toBe(1_200_000 - Buffer.byteLength(String(output?.["stdout"])));
  expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThanOrEqual(512 * 1024);
});

test("an invalid error message or code of an executor does not prevent the result's delivery", async () => {
  const agent = await started();
  agent.executor.answer = { status: "failed", output: null, error: { code: "Bad Code!", message: "x".repeat(50_000) } };
  const { id } = agent.service.enqueue();
  await agent.poll();
  await eventually("the end", () => agent.runner.size === 0);
  await agent.poll();
  expect(agent.service.resultsOf(id)).toMatchObject([{ status: "failed", error: { code: "failed" } }]);
});

test("a job whose begin is not on disk yet is listed as beginning", async () => {
  const agent = await started();
  const job = { ...agent.service.enqueue({ id: "job1" }), lease: "lease1" };
  const begun = agent.runner.start(job);
  expect(agent.runner.beginning()).toEqual([{ jobId: "job1", lease: "lease1" }]);
  expect(await begun).toBe(true);
  expect(agent.runner.beginning()).toEqual([]);
  expect(agent.journal.held()).toEqual([{ jobId: "job1", lease: "lease1" }]);
});
