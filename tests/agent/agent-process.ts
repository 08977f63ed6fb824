import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildAgent } from "../../scripts/build-agent.ts";
import { eventually } from "../support/eventually.ts";
import { FAKE_AGENT_KEY } from "../support/fake-service.ts";

export interface AgentProcess {
  pid: number;
  /** What the process has written to standard error so far. */
  log(): string;
  adminUrl(): Promise<string>;
  /** The exit code, or 128 plus the signal's number. */
  exited: Promise<number>;
  kill(signal: NodeJS.Signals): void;
}

export interface AgentStart {
  env?: Record<string, string>;
  wrap?: string[];
  args?: string[];
  /** Runs this executable instead of the one that was built. */
  executable?: string;
}

/** A directory for one agent's files, and the processes that a test starts there. */
export class AgentHome {
  readonly directory: string;
  readonly #processes: AgentProcess[] = [];

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async make(): Promise<AgentHome> {
    return new AgentHome(await mkdtemp(join(tmpdir(), "bellhop-home-")));
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  async text(name: string): Promise<string> {
    return await readFile(this.path(name), "utf8").catch(() => "");
  }

  /** The compiled executable with a fast poll; `wrap` goes before it on the command line. */
  async start(apiUrl: string, { env = {}, wrap = [], args = [], executable }: AgentStart = {}): Promise<AgentProcess> {
    const child = Bun.spawn([...wrap, executable ?? (await buildAgent()), ...args], {
      cwd: this.directory,
      env: {
        PATH: process.env["PATH"] ?? "",
        AGENT_API_URL: apiUrl,
        AGENT_API_KEY: FAKE_AGENT_KEY,
        VAULT_PATH: this.path("vault.json"),
        ADMIN_PORT: "0",
        POLL_INTERVAL: "0.1",
        HEARTBEAT_INTERVAL: "1",
        LOG_LEVEL: "DEBUG",
        // The tests run as root and inspect the processes of jobs.
        JOB_USER: "off",
        ...env,
      },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    let log = "";
    const decoder = new TextDecoder();
    const read = (async () => {
      for await (const chunk of child.stderr) log += decoder.decode(chunk, { stream: true });
    })();
    const started: AgentProcess = {
      pid: child.pid,
      log: () => log,
      adminUrl: () => eventually("the admin API", () => /"adminApi":"([^"]+)"/u.exec(log)?.[1]),
      exited: child.exited.then(async (code) => {
        await read;
        return code;
      }),
      kill: (signal) => child.kill(signal),
    };
    this.#processes.push(started);
    return started;
  }

  async remove(): Promise<void> {
    for (const agent of this.#processes) {
      agent.kill("SIGKILL");
      await agent.exited;
    }
    await rm(this.directory, { recursive: true, force: true });
  }
}
