import { homedir, hostname } from "node:os";
import { startAgent } from "./agent.ts";
import type { RunningAgent } from "./agent.ts";
import { agentReader } from "../schema/settings/agent.ts";
import { readConfig } from "./config.ts";
import type { AgentConfig, Environment } from "./config.ts";
import type { Executors } from "./executors-port.ts";
import { EXIT, StartRefused } from "./exit-codes.ts";
import type { ExitCode } from "./exit-codes.ts";
import { AUTHORITIES_ADVICE, extraAuthorities } from "./extra-authorities.ts";
import { jobUserProblem } from "./isolation/choose-programs.ts";
import { takeSecretVariables } from "./isolation/protect-process.ts";
import { describeError } from "./log.ts";

const SIGNAL_EXIT_BASE = 128;
const SIGNALS = { SIGINT: 2, SIGTERM: 15, ...(process.platform === "win32" ? { SIGHUP: 1, SIGBREAK: 21 } : {}) };
/** An executor kills a process group that has not ended after two seconds. Most end immediately. */
const ABANDON_MS = 2_500;

export type WriteLog = (line: string) => void;

/**
 * The command `run`: configuration, agent, signals. Returns the exit code. The log goes to standard error, or to
 * `writeLog`.
 */
export async function run(executors: Executors, writeLog: WriteLog = writeError): Promise<ExitCode> {
  const env = { ...process.env, ...takeSecretVariables() };
  const configured = readConfig(env, {
    hostName: hostname(),
    platform: process.platform,
    homeDirectory: homedir(),
    workingDirectory: process.cwd(),
  });
  const problems = [...(configured.ok ? [] : configured.problems), ...problemsHere(env, configured.config)];
  if (problems.length > 0) {
    refuse(["the configuration is wrong:", ...problems.map((problem) => `  ${problem}`)], writeLog);
    return EXIT.config;
  }
  try {
    // A closed standard error is no reason to stop working.
    process.stderr.on("error", () => undefined);
    const agent = await startAgent(configured.config, {
      executors,
      writeLog,
      env: process.env,
      humanLog: writeLog === writeError && process.stderr.isTTY,
    });
    obeySignals(agent);
    return await agent.ended;
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    refuse([error.message], writeLog);
    return error.exitCode;
  }
}

/** What is wrong on this machine with settings of the right form. */
function problemsHere(env: Environment, config: AgentConfig): string[] {
  const jobUser = jobUserProblem(config);
  const path = agentReader(env).text("NODE_EXTRA_CA_CERTS");
  const authorities = path === null ? null : extraAuthorities(path);
  return [
    ...(jobUser === null ? [] : [jobUser]),
    ...(authorities !== null && "problem" in authorities ? [`${authorities.problem}: ${AUTHORITIES_ADVICE}`] : []),
  ];
}

/** The first signal ends the agent in order; the second ends what runs, and then the agent; the third does not wait. */
function obeySignals(agent: RunningAgent): void {
  let count = 0;
  for (const [signal, number] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      const exit = () => process.exit(SIGNAL_EXIT_BASE + number);
      count++;
      if (count === 1) return agent.shutDown();
      if (count > 2) return exit();
      setTimeout(exit, ABANDON_MS);
      void agent.abandon().finally(exit);
    });
  }
}

function refuse(lines: string[], writeLog: WriteLog): void {
  writeLog(lines.map((line) => `bellhop-agent: ${line}\n`).join(""));
}

function writeError(line: string): void {
  process.stderr.write(line);
}

/** For errors that no code expects. */
export function reportCrash(error: unknown, writeLog: WriteLog = writeError): void {
  const what = error instanceof Error ? (error.stack ?? describeError(error)) : String(error);
  refuse([`stopped by an unexpected error: ${what}`], writeLog);
}
