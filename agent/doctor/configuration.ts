import { agentReader } from "../../schema/settings/agent.ts";
import { readEnvFile } from "../commands/env-file.ts";
import { readConfig } from "../config.ts";
import type { AgentConfig, Environment, HostFacts, LocalConfig } from "../config.ts";
import { AUTHORITIES_ADVICE, extraAuthorities } from "../extra-authorities.ts";
import type { CommandEnvironment } from "../commands/environment.ts";
import type { Check } from "./check.ts";
import { checksNamed } from "./check.ts";

/** The valid part of the configuration, for the other checks. */
export interface Usable {
  apiUrl: URL | null;
  apiKey: string | null;
  adminPort: number;
  /** WAKE_SOCKET. */
  wake: boolean;
  /** Null when VAULT_PATH is wrong. */
  local: LocalConfig | null;
}

const { ok, warn, fail, skip } = checksNamed("configuration");

/** One check for each problem that `run` would refuse, in the same words. The valid settings are used nevertheless. */
export function checkConfiguration(
  { env, file }: CommandEnvironment,
  host: HostFacts,
  { fileIsRefused }: { fileIsRefused: boolean },
): { checks: Check[]; usable: Usable } {
  const read = readConfig(env, host);
  const from = file === null ? "the environment" : `the environment and ${file}`;
  if (read.ok) {
    const { name, pollIntervalMs, maxConcurrentJobs } = read.config;
    const found = `from ${from}: agent ${JSON.stringify(name)}, polls every ${pollIntervalMs / 1_000} s, up to ${maxConcurrentJobs} jobs at the same time`;
    return {
      checks: [ok(found), ...misspelt(read.config, file), ...authorities(env), ...permissions(read.config)],
      usable: usableOf(read.config, read.config),
    };
  }
  const toDo = `set it in ${file ?? "the agent's environment"}, and restart the agent`;
  const vaultIsWrong = read.problems.some((problem) => problem.startsWith("VAULT_PATH "));
  return {
    checks: [
      ...read.problems.map((problem) => (fileIsRefused ? missing(problem) : null) ?? fail(problem, toDo)),
      ...misspelt(read.config, file),
      ...authorities(env),
    ],
    usable: usableOf(read.config, vaultIsWrong ? null : read.config),
  };
}

/** A setting that is not set may be in the refused file. Null for any other problem. */
function missing(problem: string): Check | null {
  const [name, rest] = problem.split(" is not set", 2);
  return rest === undefined ? null : skip(`${name} is not checked: the file is refused`);
}

function misspelt({ misspelt: names }: AgentConfig, file: string | null): Check[] {
  const inFile = file === null ? {} : readEnvFile(file);
  return names.map(({ name, meant }) => {
    const place = Object.hasOwn(inFile, name) ? file : "the environment";
    return warn(
      `${place} sets ${name}, which is not a setting of the agent`,
      `if ${meant} is meant, rename it and restart the agent`,
    );
  });
}

function authorities(env: Environment): Check[] {
  const path = agentReader(env).text("NODE_EXTRA_CA_CERTS");
  if (path === null) return [];
  const read = extraAuthorities(path);
  if ("problem" in read) return [fail(read.problem, AUTHORITIES_ADVICE)];
  const { count } = read;
  return [ok(`${count} further ${count === 1 ? "authority" : "authorities"} from ${path} (NODE_EXTRA_CA_CERTS)`)];
}

/** What the owner of this machine allows workflows to do here. */
function permissions(config: { allowOsRestart: boolean; allowPrivateNetwork: boolean }): Check[] {
  return [
    checksNamed("private network").ok(
      config.allowPrivateNetwork
        ? "http connections may reach private addresses (ALLOW_PRIVATE_NETWORK=true)"
        : "http connections reach public addresses only (ALLOW_PRIVATE_NETWORK is not true)",
    ),
    checksNamed("OS restart").ok(
      config.allowOsRestart
        ? "os.restartOS may restart this machine (ALLOW_OS_RESTART=true)"
        : "os.restartOS is refused (ALLOW_OS_RESTART is not true)",
    ),
  ];
}

function usableOf({ apiUrl, apiKey, adminPort, wakeSocket: wake }: AgentConfig, local: AgentConfig | null): Usable {
  return { apiUrl: apiUrl === "" ? null : new URL(apiUrl), apiKey: apiKey || null, adminPort, wake, local };
}
