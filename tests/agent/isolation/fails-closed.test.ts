import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { slotSocket } from "../../../agent/isolation/job-slots.ts";
import { JOB_COMMAND } from "../../../agent/programs/job-process.ts";
import type { Job } from "../../../schema/contract/agent.ts";
import { buildAgent } from "../../../scripts/build-agent.ts";
import { eventually } from "../../support/eventually.ts";
import { FakeService } from "../../support/fake-service.ts";
import { AgentHome } from "../agent-process.ts";

describe.skipIf(process.platform !== "linux")("an agent whose job socket has no listener", () => {
  let service: FakeService;
  let home: AgentHome;
  beforeEach(async () => {
    service = await FakeService.start();
    home = await AgentHome.make();
  });
  afterEach(async () => {
    await home.remove();
    await service.stop();
    expect(service.violations).toEqual([]);
  });
  const run = async (job: Partial<Job>) => {
    const { id } = service.enqueue(job);
    return eventually("the result", () => service.resultsOf(id)[0]);
  };

  test("runs no programs, says why, and does its other jobs", async () => {
    const missing = home.path("sockets");
    await home.start(service.url, { env: { JOB_SOCKET: missing, ALLOW_PRIVATE_NETWORK: "true" } });
    const canary = home.path("ran");
    const { status, error } = await run({ params: { script: `touch ${canary}` } });
    expect({ status, code: error?.code }).toEqual({ status: "failed", code: "job_process" });
    expect(error?.message).toStartWith("The program did not run: no process under another account could be started");
    expect(error?.message).toContain(missing);
    expect(existsSync(canary)).toBe(false);
    expect(service.registrations[0]?.isolationReason).toContain("jobs with programs fail until");

    using peer = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("here") });
    const http = { id: "con_http", type: "http" as const, config: { baseUrl: peer.url.href, authType: "none" } };
    const other = await run({ action: "http.request", connection: http, params: { path: "/" } });
    expect(other).toMatchObject({ status: "succeeded" });
  });

  test("runs programs once a process listens", async () => {
    const directory = home.path("sockets");
    await mkdir(directory);
    await home.start(service.url, { env: { JOB_SOCKET: directory } });
    expect(await run({ params: { script: "true" } })).toMatchObject({ status: "failed" });
    const executable = await buildAgent();
    const server = createServer((socket) => {
      const child = spawn(executable, [JOB_COMMAND], { stdio: ["pipe", "pipe", "inherit"] });
      socket.pipe(child.stdin);
      child.stdout.pipe(socket);
    });
    try {
      await once(server.listen(slotSocket(directory, "7")), "listening");
      expect(await run({ params: { script: "echo there" } })).toMatchObject({ output: { stdout: "there\n" } });
    } finally {
      server.close();
    }
  });
});
