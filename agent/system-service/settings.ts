import { existsSync, readFileSync } from "node:fs";
import { parseEnvFile } from "../commands/env-file.ts";
import { readConfig } from "../config.ts";
import type { AgentConfig, Environment, HostFacts } from "../config.ts";
import { CommandRefused } from "../credentials/refused.ts";
import { EXIT } from "../exit-codes.ts";
import { mergedEnvText } from "./env-text.ts";

/** What `install` takes over from the environment that it is started in: every variable that the agent reads. */
export const TAKEN_OVER = [
  "AGENT_API_URL AGENT_API_KEY AGENT_NAME POLL_INTERVAL HEARTBEAT_INTERVAL MAX_CONCURRENT_JOBS ADMIN_PORT ADMIN_TOKEN",
  "VAULT_PATH LOG_LEVEL LOG_FORMAT WAKE_SOCKET ALLOW_PRIVATE_NETWORK ALLOW_OS_RESTART SLACK_API_URL HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy",
  "http_proxy no_proxy NODE_EXTRA_CA_CERTS AGENT_RELEASE_KEY",
]
  .join(" ")
  .split(" ");

export interface Settings {
  config: AgentConfig;
  variables: Readonly<Record<string, string>>;
  /** The whole file as it is to be. */
  text: string;
  changed: boolean;
}

/**
 * The service's configuration: what its file has, under what the environment and `given` say. Throws CommandRefused with
 * every problem, in the words of `run`.
 */
export async function gatherSettings(options: {
  path: string;
  env: Environment;
  given: Readonly<Record<string, string>>;
  defaults: Readonly<Record<string, string>>;
  host: HostFacts;
  /** Asked when nothing else has the key. Null where there is none. */
  askKey: () => Promise<string | null>;
}): Promise<Settings> {
  const { path, env, given, defaults, host, askKey } = options;
  const existing = existsSync(path) ? readFileSync(path, "utf8") : "";
  const dialect = host.platform === "win32" ? "windows" : "posix";
  const former = parseEnvFile(existing, dialect);
  if (!former.ok) refuseLines(path, former.problems);
  const taken = TAKEN_OVER.flatMap((name) => {
    const value = env[name]?.trim() ?? "";
    return value === "" ? [] : [[name, value] as const];
  });
  const wanted: Record<string, string> = { ...defaults, ...former.variables, ...Object.fromEntries(taken), ...given };
  if (wanted["AGENT_API_KEY"] === undefined) {
    const key = await askKey();
    if (key !== null) wanted["AGENT_API_KEY"] = key;
  }
  const text = mergedEnvText(existing, wanted);
  const read = parseEnvFile(text, dialect);
  if (!read.ok) refuseLines(path, read.problems);
  const config = readConfig(read.variables, host);
  if (!config.ok) {
    throw new CommandRefused(EXIT.config, ["the configuration is wrong:", ...config.problems].join("\n  "));
  }
  return { config: config.config, variables: read.variables, text, changed: text !== existing };
}

function refuseLines(path: string, problems: readonly { line: number; problem: string }[]): never {
  const lines = problems.map(({ line, problem }) => `${path}, line ${line}: ${problem}`);
  throw new CommandRefused(EXIT.config, ["the configuration is wrong:", ...lines].join("\n  "));
}
