import { join, resolve } from "node:path";
import { AGENT_SETTINGS, agentReader, problemOfPath, PROXY_SETTINGS } from "../schema/settings/agent.ts";
import type { AgentReader } from "../schema/settings/agent.ts";
import { misspelt } from "../schema/settings/misspelt.ts";
import { namesOf } from "../schema/settings/setting.ts";

const SECOND_MS = 1_000;

/** The configuration of the agent process (schema/settings/agent.ts), parsed once. */
export type AgentConfig = ReturnType<typeof configOf>;
/** The settings of the commands that work with the vault of this machine. None is required. */
export type LocalConfig = ReturnType<typeof localConfigOf>;

/** With problems, `config` has defaults in place of the wrong settings. */
export type ConfigResult<C = AgentConfig> = { ok: true; config: C } | { ok: false; problems: string[]; config: C };
export type Environment = Readonly<Record<string, string | undefined>>;

/** What the defaults depend on. */
export interface HostFacts {
  hostName: string;
  platform: string;
  homeDirectory: string;
  workingDirectory: string;
}

/** Reads every variable and lists all problems together. An empty variable counts as unset. */
export function readConfig(env: Environment, host: HostFacts): ConfigResult {
  const problems: string[] = [];
  const reader = agentReader(env, problems);
  if (reader.text("AGENT_API_KEY_FILE") !== null && reader.text("AGENT_API_KEY") !== null) {
    problems.push("AGENT_API_KEY_FILE and AGENT_API_KEY are both set: keep one of the two");
  }
  const config = configOf(reader, env, host);
  const path = config.apiKeyFile === null ? null : problemOfPath(config.apiKeyFile, host.platform);
  if (path !== null) problems.push(`AGENT_API_KEY_FILE ${path}`);
  return resultOf(problems, config);
}

/** Like `readConfig`, for commands other than `run`. */
export function readLocalConfig(env: Environment, host: HostFacts): ConfigResult<LocalConfig> {
  const problems: string[] = [];
  return resultOf(problems, localConfigOf(agentReader(env, problems), env, host));
}

function resultOf<C>(problems: string[], config: C): ConfigResult<C> {
  return problems.length === 0 ? { ok: true, config } : { ok: false, problems, config };
}

function configOf(reader: AgentReader, env: Environment, host: HostFacts) {
  const { read, need } = reader;
  return {
    /** The deployment's address without a trailing slash. */
    apiUrl: need("AGENT_API_URL") ?? "",
    /** Empty when the key is in a file. */
    apiKey: (reader.text("AGENT_API_KEY_FILE") === null ? need("AGENT_API_KEY") : read("AGENT_API_KEY")) ?? "",
    /** The file is read later, when no process that an earlier agent left behind can see the key. */
    apiKeyFile: read("AGENT_API_KEY_FILE"),
    name: read("AGENT_NAME") ?? host.hostName,
    pollIntervalMs: SECOND_MS * read("POLL_INTERVAL"),
    heartbeatIntervalMs: SECOND_MS * read("HEARTBEAT_INTERVAL"),
    maxConcurrentJobs: read("MAX_CONCURRENT_JOBS"),
    /** 0 means any free port. */
    adminPort: read("ADMIN_PORT"),
    ...placesOf(reader, env, host),
    logLevel: read("LOG_LEVEL"),
    /** Null: text for a terminal, JSON for everything else. */
    logFormat: read("LOG_FORMAT"),
    allowPrivateNetwork: read("ALLOW_PRIVATE_NETWORK"),
    allowOsRestart: read("ALLOW_OS_RESTART"),
    /** Whether to open a wake socket. Polling continues in either case. */
    wakeSocket: read("WAKE_SOCKET"),
    /** The passwords inside addresses of proxies: fetch reads the addresses itself, the log must not show these parts. */
    proxyPasswords: PROXY_SETTINGS.flatMap((name) => read(name) || []),
    /** For `update` alone. */
    releaseKey: read("AGENT_RELEASE_KEY"),
    misspelt: misspelt(Object.keys(env), namesOf(AGENT_SETTINGS)),
  };
}

function localConfigOf(reader: AgentReader, env: Environment, host: HostFacts) {
  /** Without a key only the running agent can open the vault. */
  return { ...placesOf(reader, env, host), apiKey: reader.read("AGENT_API_KEY") };
}

function placesOf({ read }: AgentReader, env: Environment, host: HostFacts) {
  return {
    /** Null: the agent makes a token and keeps it next to the vault. */
    adminToken: read("ADMIN_TOKEN"),
    /** An absolute path. */
    vaultPath: resolve(host.workingDirectory, read("VAULT_PATH") ?? defaultVaultPath(env, host)),
    /** Without a trailing slash. */
    slackApiUrl: read("SLACK_API_URL"),
    /** The socket behind which systemd starts job processes. */
    jobSocket: read("JOB_SOCKET"),
    /** The account that jobs run as. `off`: the agent's own account. Null: separate accounts when the agent is root. */
    jobUser: read("JOB_USER"),
  };
}

function defaultVaultPath(env: Environment, host: HostFacts): string {
  if (host.platform === "win32") {
    const local = env["LOCALAPPDATA"]?.trim() || join(host.homeDirectory, "AppData", "Local");
    return join(local, "Bellhop", "vault.json");
  }
  const state = env["XDG_STATE_HOME"]?.trim() ?? "";
  // The XDG specification says to ignore relative paths.
  const base = state.startsWith("/") ? state : join(host.homeDirectory, ".local", "state");
  return join(base, "bellhop", "vault.json");
}
