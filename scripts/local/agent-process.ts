import { closeSync, openSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildAgent, hostTarget } from "../build-agent.ts";

/** One agent on this machine, run from the compiled executable. */
export interface AgentProcess {
  pid: number;
  /** The agent's log. */
  logFile: string;
  /** Resolves with the exit code when the agent ends for any reason. */
  exited: Promise<number>;
  /** The second stop signal: the agent ends immediately. */
  hurry(): void;
  /** Asks the agent to finish its work and waits; kills it after `waitMs`. */
  stop(waitMs?: number): Promise<void>;
}

/** The vault of the agent that `npm start` runs. */
export function localVaultPath(stateDirectory: string): string {
  return join(directoryIn(stateDirectory), "vault.json");
}

function directoryIn(stateDirectory: string): string {
  return join(stateDirectory, "agent");
}

export async function startAgentProcess(options: {
  stateDirectory: string;
  apiUrl: string;
  apiKey: string;
  environment?: Record<string, string>;
}): Promise<AgentProcess> {
  const executable = await buildAgent({ target: hostTarget() });
  const directory = directoryIn(options.stateDirectory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const configuration = {
    AGENT_API_URL: options.apiUrl,
    AGENT_API_KEY: options.apiKey,
    JOB_USER: "off",
    VAULT_PATH: localVaultPath(options.stateDirectory),
    ADMIN_PORT: "0",
    ...options.environment,
  };
  await writeForDoctor(join(directory, "agent.env"), configuration);
  const logFile = join(directory, "agent.log");
  // Opened for appending: the last lines before an end are the ones people look for.
  const log = openSync(logFile, "a", 0o600);
  const child = Bun.spawn([executable], {
    cwd: directory,
    env: { ...inherited(), ...configuration },
    stdin: "ignore",
    stdout: log,
    stderr: log,
    // Ctrl-C in a terminal reaches the whole process group; only its parent may stop the agent.
    detached: true,
  });
  closeSync(log);
  return {
    pid: child.pid,
    hurry: () => child.kill("SIGTERM"),
    logFile,
    exited: child.exited,
    stop: async (waitMs = 35_000) => {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      const ended = await Promise.race([child.exited, Bun.sleep(waitMs).then(() => null)]);
      if (ended === null) {
        child.kill("SIGKILL");
        await child.exited;
      }
    },
  };
}

/** Written for `bellhop-agent doctor --env-file`. */
async function writeForDoctor(path: string, configuration: Readonly<Record<string, string>>): Promise<void> {
  const lines = Object.entries(configuration).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(path, lines.join(""), { mode: 0o600 });
}

function inherited(): Record<string, string> {
  const names = ["PATH", "HOME", "USER", "SHELL", "LANG", "TMPDIR", "HTTPS_PROXY", "NO_PROXY"];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] ?? ""]])),
  );
}
