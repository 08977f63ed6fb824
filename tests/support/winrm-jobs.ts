import type { ExecutorOutcome } from "../../agent/executors/executor.ts";
import { eventually } from "./eventually.ts";
import { runAction, runTest, type TestJob } from "./executor-context.ts";
import { isRunning } from "./processes.ts";
import type { WinrmServer } from "./winrm-server/index.ts";

export interface WinrmJob extends TestJob {
  /** `CORP\ops` by ntlm by default. */
  username?: string;
  password?: string;
  authMethod?: string;
  useSsl?: boolean;
  port?: number;
  /** An older service leaves `env` in the parameters. */
  env?: Record<string, string>;
}

/** A job for a connection to the host, with a valid login unless the job says otherwise. */
export function winrmJob(server: WinrmServer, job: WinrmJob): TestJob {
  const {
    username = "CORP\\ops",
    password = server.password,
    authMethod = "ntlm",
    useSsl = false,
    port,
    ...more
  } = job;
  return {
    config: { host: server.host, port: port ?? server.port, useSsl, authMethod },
    secrets: { username, password },
    ...more,
  };
}

export function winrmCommand(server: WinrmServer, command: string, job: WinrmJob = {}): Promise<ExecutorOutcome> {
  return runAction("winrm", "winrm.executeCommand", { ...winrmJob(server, job), params: { command } });
}

export function winrmScript(
  server: WinrmServer,
  script: string,
  { env, ...job }: WinrmJob = {},
): Promise<ExecutorOutcome> {
  const params = { script, ...(env === undefined ? {} : { env }) };
  return runAction("winrm", "winrm.executeScript", { ...winrmJob(server, job), params });
}

export function winrmTest(server: WinrmServer, job: WinrmJob = {}) {
  return runTest("winrm", winrmJob(server, job));
}

/** Waits until killed processes are gone: the system may need a moment after the host's answer. */
export async function gone(pids: readonly number[]): Promise<void> {
  await eventually("the ended processes to be gone", () => pids.every((pid) => !isRunning(pid)));
}

/** Waits until the client has all output of a command so far: until it requests more after the answer with `text`. */
export async function outputFetched(server: WinrmServer, text: string): Promise<void> {
  const written = Buffer.from(text).toString("base64");
  await eventually("a request for more output", async () => {
    const log = await server.log();
    const given = log.findIndex(({ answer }) => answer?.includes(written));
    return given >= 0 && log.slice(given).some(({ message }) => message?.includes("/Receive<"));
  });
}
