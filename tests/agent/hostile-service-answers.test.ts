import { afterEach, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { zstdCompressSync } from "node:zlib";
import type { Job } from "../../schema/contract/agent.ts";
import { secretsIn } from "../support/bound-credential.ts";
import { refuse, send } from "../support/fake-service-http.ts";
import { Parts } from "./parts.ts";
import type { PartsOptions } from "./parts.ts";
import { eventually } from "../support/eventually.ts";

/** Answers of a compromised or foreign service (docs/design/agent-protocol.md#calls). */
let parts: Parts | undefined;
afterEach(async () => {
  await parts?.stop();
  parts = undefined;
});

/** An agent that has registered and polled once. */
async function started(options?: PartsOptions): Promise<Parts> {
  parts = await Parts.start(options);
  await parts.poll();
  parts.logLines.length = 0;
  return parts;
}

/** A job as the service sends it, with `changes`. Its lease is made up, because it is not delivered the usual way. */
function rawJob(agent: Parts, changes: Record<string, unknown>): Record<string, unknown> {
  const { id } = agent.service.enqueue();
  const job: Job = agent.service.jobOf(id);
  agent.service.forgetResult(id);
  return { ...job, id: `raw-${id}`, lease: "raw-lease", ...changes };
}

const warnings = (agent: Parts) => agent.logLines.filter((line) => /"level":"(?:WARNING|ERROR)"/u.test(line));

describe("an unrequested compressed answer is refused unread", () => {
  const packed = new Uint8Array(8 * 1_024 * 1_024);
  for (const [coding, bytes] of [
    ["gzip", Bun.gzipSync(packed)],
    ["deflate", Bun.deflateSync(packed)],
    ["zstd", zstdCompressSync(packed)],
    ["br", new Uint8Array(1_000)],
    ["x-unheard-of", new Uint8Array(1_000)],
  ] as const) {
    for (const status of [200, 500]) {
      test(`${coding}, with the status ${status}`, async () => {
        const agent = await started();
        agent.service.fault("jobs", (request, response) => {
          if (request.headers["accept-encoding"] !== "identity") throw new Error("the agent asked for compression");
          response.writeHead(status, { "Content-Type": "application/json", "Content-Encoding": coding });
          response.end(bytes);
        });
        expect((await agent.poll()).firm).toBe(true);
        expect(agent.activity.lastError).toContain(`got a compressed answer (${coding})`);
        agent.service.enqueue();
        await agent.poll();
        expect(agent.executor.begun).toHaveLength(1);
      });
    }
  }
});

describe("an answer with", () => {
  test("100,000 jobs begins as many as the capacity allows, and is logged once", async () => {
    const agent = await started({ maxConcurrentJobs: 2 });
    const job = rawJob(agent, {});
    for (let poll = 0; poll < 2; poll += 1) {
      agent.service.rawJobs.push(
        ...Array.from({ length: 100_000 }, (_, index) => ({ ...job, id: `flood${index}`, lease: `f${index}` })),
      );
      await agent.poll();
    }
    expect(agent.runner.size).toBe(2);
    expect(agent.journal.held()).toHaveLength(2);
    expect(warnings(agent).length).toBeLessThanOrEqual(3);
  });

  test("100,000 cancels stops only the job with a matching lease", async () => {
    const agent = await started();
    const [kept, meant] = [agent.service.enqueue(), agent.service.enqueue()];
    await agent.poll();
    for (let index = 0; index < 100_000; index += 1)
      agent.service.rawCancels.push({ jobId: `none${index}`, lease: "lease" });
    agent.service.rawCancels.push({ jobId: kept.id, lease: "another-lease" });
    agent.service.cancel(meant.id);
    await agent.poll();
    await eventually("what was meant to stop", () => agent.runner.size < 2);
    expect(agent.runner.running().map(({ jobId }) => jobId)).toEqual([kept.id]);
  });
});

describe("unreadable jobs", () => {
  test("are refused at the pace of the polls, with one log line per poll", async () => {
    const agent = await started({ random: () => 0 });
    for (let poll = 0; poll < 5; poll += 1) {
      agent.logLines.length = 0;
      agent.service.rawJobs.push(...[1, 2, 3].map((index) => ({ id: `bad${poll}-${index}`, lease: `l${index}` })));
      // There is room for more jobs, but refused jobs do not count as work that shortens the wait.
      expect(await agent.poll()).toEqual({ delayMs: 5_000, firm: false });
      expect(
        agent.logLines.filter((line) => line.includes("the service sent a job that this agent cannot read")),
      ).toHaveLength(1);
    }
    expect(agent.service.results).toHaveLength(15);
    expect(agent.executor.begun).toHaveLength(0);
  });

  const wrong: [title: string, changes: Record<string, unknown>][] = [
    ["an unknown kind", { kind: "firmware" }],
    ["an unknown effect", { effect: "harmless" }],
    ["a connection whose type is a path", { connection: { id: "con_1", type: "../ssh", config: {} } }],
    ["a connection whose id is a path", { connection: { id: "../../vault.json", type: "script", config: {} } }],
    ["parameters that are a list", { params: ["rm"] }],
    ["parameters that are a string", { params: "true" }],
    ["values that are numbers", { values: { A: 1 } }],
    ["no time to run", { timeoutSeconds: 0 }],
    ["a negative time to run", { timeoutSeconds: -1 }],
    ["a time to run that is not a number", { timeoutSeconds: "NaN" }],
    ["no time to begin", { startWithinSeconds: 0 }],
    ["a time to begin of null", { startWithinSeconds: null }],
    ["an attempt of zero", { attempt: 0 }],
    ["a fractional attempt", { attempt: 0.5 }],
    ["an action of 100,000 characters", { action: "x".repeat(100_000) }],
  ];
  for (const [title, changes] of wrong) {
    test(`with ${title} are reported as failed, and the next job runs`, async () => {
      const agent = await started();
      agent.service.rawJobs.push(rawJob(agent, changes));
      await agent.poll();
      expect(agent.service.results.at(-1)).toMatchObject({ status: "failed", error: { code: "invalid_job" } });
      expect(JSON.stringify(agent.service.results).length).toBeLessThan(5_000);
      const { id } = agent.service.enqueue();
      await agent.poll();
      expect(agent.executor.timesBegun(id)).toBe(1);
    });
  }

  test("with an unknown action are reported as unsupported", async () => {
    const agent = await started();
    const { id } = agent.service.enqueue({ action: "script.format-disk" });
    await agent.poll();
    await agent.runner.idle();
    await agent.poll();
    expect(agent.service.resultsOf(id)).toMatchObject([{ status: "failed", error: { code: "unsupported_action" } }]);
  });
});

describe("a job id that a disk or a log would misread", () => {
  for (const [title, id] of [
    ["a path to a parent directory", "../../../etc/cron.d/job"],
    ["an absolute path", "/etc/passwd"],
    ["a Windows device", "NUL:"],
    ["a NUL", "job\u0000.json"],
    ["line breaks", "job\n{}"],
    ["an escape sequence", "job\u001b[2J"],
    ["300 characters", "j".repeat(300)],
    ["an empty text", ""],
    ["an object", { toString: "job" }],
  ] as const) {
    test(`of ${title} gets its job dropped unreported, without a trace`, async () => {
      const agent = await started();
      const before = await readdir(agent.directory, { recursive: true });
      agent.service.rawJobs.push(rawJob(agent, { id }));
      await agent.poll();
      expect(agent.executor.begun).toHaveLength(0);
      expect(agent.service.results).toHaveLength(0);
      expect(agent.journal.held()).toHaveLength(0);
      expect(await readdir(agent.directory, { recursive: true })).toEqual(before);
      expect(warnings(agent)).toHaveLength(1);
    });
  }
});

test("a job under several leases in one answer runs once", async () => {
  const agent = await started();
  const job = rawJob(agent, {});
  agent.service.rawJobs.push(job, { ...job, lease: "second" }, { ...job, lease: "third", attempt: 2 });
  await agent.poll();
  expect(agent.executor.timesBegun(String(job["id"]))).toBe(1);
});

test("huge numbers neither hold a timer forever nor end a job immediately", async () => {
  const agent = await started();
  const job = rawJob(agent, { timeoutSeconds: 1e308, startWithinSeconds: 1e9, attempt: 2 ** 40 });
  agent.service.rawJobs.push(job);
  await agent.poll();
  expect(agent.runner.running().map(({ jobId }) => jobId)).toEqual([String(job["id"])]);
  agent.executor.end(String(job["id"]));
  await agent.runner.idle();
  await agent.poll();
  expect(agent.service.results.at(-1)).toMatchObject({ status: "succeeded" });
});

describe("a credential that was not sealed to this agent", () => {
  for (const [title, jwe] of [
    ["garbage", "a.b.c.d.e"],
    ["a text", "hunter2"],
    ["a megabyte", `${"x".repeat(1_000_000)}.y`],
    ["nothing", undefined],
  ] as const) {
    test(`with ${title} fails its job, and the vault keeps its content`, async () => {
      const agent = await started();
      await agent.vault.put("con_1", { secrets: { password: "kept" } }, 1);
      const { id } = agent.service.enqueue({
        kind: "credentialSync",
        action: null,
        effect: "idempotent",
        params: { state: "present", version: 2, ...(jwe === undefined ? {} : { jwe }) },
      });
      await agent.poll();
      await agent.runner.idle();
      await agent.poll();
      expect(agent.service.resultsOf(id)).toMatchObject([{ status: "failed" }]);
      expect(secretsIn(agent.vault, "con_1")).toEqual({ password: "kept" });
      expect(agent.logLines.join("").length).toBeLessThan(20_000);
    });
  }
});

describe("the log under a hostile service", () => {
  test("escapes what a terminal would interpret", async () => {
    const agent = await started();
    const nasty = "\u001b]0;owned\u0007 \u009b2J \u202egnp.exe \u2028 \u0085 end";
    agent.service.fault("jobs", (_request, response) => refuse(response, 500, "internal_error", { detail: nasty }));
    await agent.poll();
    const line = warnings(agent)[0] ?? "";
    expect(line).toContain("end");
    // oxlint-disable-next-line no-control-regex -- the test looks for control characters
    expect(line.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/u);
    expect(JSON.parse(line)).toMatchObject({ error: expect.stringContaining(nasty) });
  });

  test("has one warning for a storm of errors, and polls become rare", async () => {
    const agent = await started({ random: () => 1 });
    const waits: number[] = [];
    for (let poll = 0; poll < 10; poll += 1) {
      agent.service.refuseOnce("jobs", 503, "unavailable");
      waits.push((await agent.poll()).delayMs / 1_000);
    }
    expect(waits.at(-1)).toBe(60);
    expect(warnings(agent)).toHaveLength(1);
  });

  test("does not repeat a megabyte of a registration's answer", async () => {
    const agent = await started();
    agent.service.refuseSession("register_again");
    agent.service.fault("register", (_request, response) =>
      send(response, { agentId: "agt_1", poolId: "p".repeat(1_000_000), enabled: true, session: "s" }),
    );
    await agent.poll();
    expect(agent.service.registrations).toHaveLength(2);
    expect(agent.logLines.join("").length).toBeLessThan(20_000);
  });
});

describe("headers of a hostile service", () => {
  test("that are endless are cut off, and the agent continues", async () => {
    const agent = await started();
    agent.service.fault("jobs", (_request, response) => {
      const { socket } = response;
      let written = 0;
      const write = () => {
        written += 60_000;
        if (socket === null || socket.destroyed || written > 50_000_000) return;
        socket.write(`X-More: ${"x".repeat(60_000)}\r\n`, () => setImmediate(write));
      };
      socket?.on("error", () => undefined);
      socket?.write("HTTP/1.1 200 OK\r\n");
      write();
    });
    expect((await agent.poll()).firm).toBe(true);
    expect(agent.activity.lastError).toContain("did not reach the service");
    agent.service.enqueue();
    await agent.poll();
    expect(agent.executor.begun).toHaveLength(1);
  });

  test("with wrong dates or a Retry-After of a thousand years delay the agent by minutes at most", async () => {
    const agent = await started();
    agent.service.refuseOnce("jobs", 503, "unavailable", {
      Date: "Thu, 01 Jan 1970 00:00:00 GMT",
      "Retry-After": "Fri, 31 Dec 3025 23:59:59 GMT",
    });
    expect((await agent.poll()).delayMs).toBeLessThanOrEqual(300_000);
    agent.service.refuseOnce("jobs", 503, "unavailable", { "Retry-After": "999999999" });
    expect((await agent.poll()).delayMs).toBeLessThanOrEqual(300_000);
  });
});
