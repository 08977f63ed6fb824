import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildAgent, hostTarget } from "../../scripts/build-agent.ts";
import { compile } from "./compile.ts";
import { benchJobStarts, describeJobStarts } from "./job-starts.ts";
import type { JobStarts } from "./job-starts.ts";

/**
 * The cost of the executable for its host, compared with a bare Bun executable that makes one request and waits:
 * time to the first poll, memory after an idle minute, size on disk. Also how soon a job of the installed agent starts.
 */
export interface AgentBench {
  agent: Figures;
  bare: Figures;
  /** Ratio of the medians of the time to the first poll. */
  firstPollRatio: number;
  jobStarts: JobStarts;
}
interface Figures {
  /**
   * From the start of the process to the arrival of GET /jobs (for the bare one, of its one request); median and worst.
   */
  firstPollMs: number;
  firstPollWorstMs: number;
  /** Processor time of all the process's threads until then; median. Hardly depends on the machine's other work. */
  firstPollCpuMs: number;
  idleRssMb: number;
  /**
   * The part of the memory that only this process has; the rest is pages of the executable, which the kernel can drop
   * and read again.
   */
  idleOwnMb: number;
  sizeMb: number;
}

const STARTS = 10;
const IDLE_SECONDS = 60;
const API_KEY = `bh${"a".repeat(10)}_${"b".repeat(43)}`;

const BARE_SOURCE = `
void fetch(process.env.AGENT_API_URL + "/api/v1/agent/jobs");
setInterval(() => {}, 1_000_000);
`;

export async function benchAgent(): Promise<AgentBench> {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-bench-"));
  try {
    const agent = await buildAgent({ target: hostTarget() });
    const bare = await buildBare(directory);
    const starts = { agent: new Array<Start>(), bare: new Array<Start>() };
    for (let i = 0; i < STARTS; i += 1) {
      // Alternating, so that the machine's other work affects both.
      starts.agent.push(await timedStart(agent, directory));
      starts.bare.push(await timedStart(bare, directory));
    }
    const figures = {
      agent: await figuresOf(agent, starts.agent, directory),
      bare: await figuresOf(bare, starts.bare, directory),
    };
    return {
      ...figures,
      firstPollRatio: figures.agent.firstPollMs / figures.bare.firstPollMs,
      jobStarts: await benchJobStarts(directory),
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

export function describeAgent({ agent, bare, firstPollRatio, jobStarts }: AgentBench): string {
  const line = (name: string, figures: Figures) =>
    `  ${name.padEnd(6)} first poll after ${figures.firstPollMs.toFixed(0)} ms (worst ${figures.firstPollWorstMs.toFixed(0)}, ${figures.firstPollCpuMs.toFixed(0)} ms of a processor), idle ${figures.idleRssMb.toFixed(1)} MB after ${IDLE_SECONDS} s (${figures.idleOwnMb.toFixed(1)} its own), ${figures.sizeMb.toFixed(0)} MB on disk`;
  const ratio = `  the agent's first poll takes ${firstPollRatio.toFixed(1)} times as long`;
  return [line("agent", agent), line("bare", bare), ratio, describeJobStarts(jobStarts)].join("\n");
}

type Start = Pick<Figures, "firstPollMs" | "firstPollCpuMs">;

async function timedStart(executable: string, directory: string): Promise<Start> {
  const { firstPollMs, stop } = await startOnce(executable, await mkdtemp(join(directory, "run-")));
  return { firstPollMs, firstPollCpuMs: await stop() };
}

async function figuresOf(executable: string, starts: readonly Start[], directory: string): Promise<Figures> {
  const sorted = (field: keyof Start) => starts.map((start) => start[field]).sort((a, b) => a - b);
  const median = (field: keyof Start) => sorted(field)[Math.floor(starts.length / 2)] ?? Number.NaN;
  const idle = await startOnce(executable, await mkdtemp(join(directory, "idle-")));
  await Bun.sleep(IDLE_SECONDS * 1000);
  const memory = await memoryOf(idle.pid);
  await idle.stop();
  return {
    firstPollMs: median("firstPollMs"),
    firstPollWorstMs: sorted("firstPollMs").at(-1) ?? Number.NaN,
    firstPollCpuMs: median("firstPollCpuMs"),
    ...memory,
    sizeMb: (await stat(executable)).size / 1_048_576,
  };
}

/** Starts it against a service without work, and waits for its first poll. `stop` returns the processor time so far. */
async function startOnce(
  executable: string,
  directory: string,
): Promise<{ pid: number; firstPollMs: number; stop(): Promise<number> }> {
  const { promise: polled, resolve } = Promise.withResolvers<number>();
  const service = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      if (pathname.endsWith("/jobs")) resolve(performance.now());
      return Response.json({ success: true, data: ANSWERS[pathname.split("/").at(-1) ?? ""] ?? {} });
    },
  });
  const startedAt = performance.now();
  const child = Bun.spawn([executable], {
    cwd: directory,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: directory,
      AGENT_API_URL: `http://127.0.0.1:${service.port}`,
      AGENT_API_KEY: API_KEY,
      VAULT_PATH: join(directory, "vault.json"),
      ADMIN_PORT: "0",
      // The bench runs as root, and an agent of root first starts a process of another account for its jobs.
      JOB_USER: "off",
    },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  const ended = child.exited.then((code): never => {
    throw new Error(`${executable} ended with code ${code} before its first poll`);
  });
  const firstPollMs = (await Promise.race([polled, ended])) - startedAt;
  ended.catch(() => {});
  return {
    pid: child.pid,
    firstPollMs,
    stop: async () => {
      child.kill("SIGKILL");
      await child.exited;
      await service.stop(true);
      return Number(child.resourceUsage()?.cpuTime.total ?? Number.NaN) / 1_000;
    },
  };
}

const ANSWERS: Readonly<Record<string, unknown>> = {
  register: { agentId: "agt_bench", poolId: null, enabled: true, session: "bench" },
  jobs: { jobs: [], cancelled: [] },
  heartbeat: { enabled: true, cancelled: [] },
};

async function memoryOf(pid: number): Promise<Pick<Figures, "idleRssMb" | "idleOwnMb">> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  const mb = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`, "u").exec(status)?.[1] ?? Number.NaN) / 1024;
  return { idleRssMb: mb("VmRSS"), idleOwnMb: mb("RssAnon") };
}

async function buildBare(directory: string): Promise<string> {
  const source = join(directory, "bare.ts");
  await Bun.write(source, BARE_SOURCE);
  return compile(source, join(directory, "bare"));
}
