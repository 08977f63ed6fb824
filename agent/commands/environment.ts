import { existsSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { agentReader } from "../../schema/settings/agent.ts";
import { readApiKeyFile } from "../api-key-file.ts";
import type { Environment, HostFacts } from "../config.ts";
import { takeSecretVariables } from "../isolation/protect-process.ts";
import { readEnvFile } from "./env-file.ts";

/** Where a command's configuration comes from. */
export interface CommandEnvironment {
  env: Environment;
  /** The file that was read in addition to the environment; null for none. */
  file: string | null;
  /** The file with the agent's key, when AGENT_API_KEY_FILE names one. */
  keyFile: string | null;
}

/**
 * The environment, overridden by the file that `--env-file` names. With `orInstalled` and neither an address nor a key
 * in the environment, the file is that of the installed service, so `sudo bellhop-agent doctor` checks the service's
 * configuration. Throws StartRefused.
 */
export function commandEnvironment(
  envFile: string | null,
  { orInstalled }: { orInstalled: boolean },
): CommandEnvironment {
  const file = envFile ?? (orInstalled && !isConfigured(process.env) ? installedEnvFile() : null);
  const env = file === null ? process.env : { ...process.env, ...readEnvFile(file) };
  return { env, file, keyFile: agentReader(env).text("AGENT_API_KEY_FILE") };
}

/** Written by `service install` (Linux: systemd's EnvironmentFile=; Windows: `run --env-file`). */
export function serviceEnvFile(env: Environment = process.env): string {
  if (process.platform !== "win32") return "/etc/bellhop/agent.env";
  return join(env["ProgramData"] ?? "C:\\ProgramData", "Bellhop", "agent.env");
}

/**
 * Copies `env` into this process's environment, where fetch reads the proxy, and returns null. NODE_EXTRA_CA_CERTS is
 * read only when a process starts: if it differs, the command runs again in a child process, and its exit code is
 * returned.
 */
export async function adoptEnvironment({ env }: CommandEnvironment, args: readonly string[]): Promise<number | null> {
  const authorities = env["NODE_EXTRA_CA_CERTS"];
  if (authorities === process.env["NODE_EXTRA_CA_CERTS"]) {
    Object.assign(process.env, env);
    return null;
  }
  const child = Bun.spawn([process.execPath, ...args], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: authorities },
    stdio: ["inherit", "inherit", "inherit"],
  });
  takeSecretVariables();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return child.exited;
}

export function hostFacts(): HostFacts {
  return {
    hostName: hostname(),
    platform: process.platform,
    homeDirectory: homedir(),
    workingDirectory: process.cwd(),
  };
}

/**
 * Adds the key from AGENT_API_KEY_FILE, for commands that open the vault; `run` reads the file itself, later. Throws
 * StartRefused when the file cannot be read.
 */
export function withKeyOfFile(env: Environment): Environment {
  const { text } = agentReader(env);
  const path = text("AGENT_API_KEY_FILE");
  if (path === null || text("AGENT_API_KEY") !== null) return env;
  return { ...env, AGENT_API_KEY: readApiKeyFile(path), AGENT_API_KEY_FILE: "" };
}

function isConfigured(env: Environment): boolean {
  const { text } = agentReader(env);
  return [text("AGENT_API_URL"), text("AGENT_API_KEY"), text("AGENT_API_KEY_FILE")].some((value) => value !== null);
}

function installedEnvFile(): string | null {
  const path = serviceEnvFile();
  return existsSync(path) ? path : null;
}
