import { join, resolve } from "node:path";
import { AGENT_SETTINGS, agentReader, problemOfPath, PROXY_SETTINGS } from "../schema/settings/agent.ts";
import type { AgentReader } from "../schema/settings/agent.ts";
import { misspelt } from "../schema/settings/misspelt.ts";
import { namesOf } from "../schema/settings/setting.ts";

const SECOND_MS = 1_000;

/** The configuration of the agent process (schema/settings/agent.ts), parsed once. */
export type AgentConfig = ReturnType<typeof configOf>;
/** What the commands need that look after this machine's vault; nothing is required of them. */
export type LocalConfig = ReturnType<typeof localConfigOf>;

/** Without problems `config` is right. What is wrong in it has its default. */
export type ConfigResult<C = AgentConfig> = { ok: true; config: C } | { ok: false; problems: string[]; config: C };
export type Environment = Readonly<Record<string, string | undefined>>;

/** What the defaults depend on. */
export interface HostFacts {
  hostName: string;
  platform: string;
  homeDirectory: string;
  workingDirectory: string;
}

/** Reads every variable, and lists every problem at once. An empty variable counts as unset. */
export function readConfig(env: Environment, host: HostFacts): ConfigResult {
  const problems: string[] = [];
  const reader = agentReader(env, problems);
  if (reader.text("AGENT_API_KEY_FILE") !== null && reader.text("AGENT_API_KEY") !== null) {
    problems.push("AGENT_API_KEY_FILE is set beside AGENT_API_KEY: keep one of the two");
  }
  const config = configOf(reader, env, host);
  const path = config.apiKeyFile === null ? null : problemOfPath(config.apiKeyFile, host.platform);
  if (path !== null) problems.push(`AGENT_API_KEY_FILE ${path}`);
  return resultOf(problems, config);
}

/** As `readConfig`, for the commands beside `run`. */
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
    /** Empty where it is in a file. */
    apiKey: (reader.text("AGENT_API_KEY_FILE") === null ? need("AGENT_API_KEY") : read("AGENT_API_KEY")) ?? "",
    /** Read when nothing that an earlier process left can see it any more. */
    apiKeyFile: read("AGENT_API_KEY_FILE"),
    name: read("AGENT_NAME") ?? host.hostName,
    pollIntervalMs: SECOND_MS * read("POLL_INTERVAL"),
    heartbeatIntervalMs: SECOND_MS * read("HEARTBEAT_INTERVAL"),
    maxConcurrentJobs: read("MAX_CONCURRENT_JOBS"),
    /** 0 takes any free port. */
    adminPort: read("ADMIN_PORT"),
    ...placesOf(reader, env, host),
    logLevel: read("LOG_LEVEL"),
    /** Null: text for a terminal, JSON for everything else. */
    logFormat: read("LOG_FORMAT"),
    allowPrivateNetwork: read("ALLOW_PRIVATE_NETWORK"),
    allowOsRestart: read("ALLOW_OS_RESTART"),
    /** Whether a WebSocket tells when there is something to fetch; polling goes on with it and without. */
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
    /** Null: one is made and kept beside the vault. */
    adminToken: read("ADMIN_TOKEN"),
    /** Absolute. */
    vaultPath: resolve(host.workingDirectory, read("VAULT_PATH") ?? defaultVaultPath(env, host)),
    /** Without a trailing slash. */
    slackApiUrl: read("SLACK_API_URL"),
    /** The socket behind which systemd starts the processes of jobs. */
    jobSocket: read("JOB_SOCKET"),
    /** The account that jobs run as; `off`: the agent's own; null: accounts of their own, where the agent is root. */
    jobUser: read("JOB_USER"),
  };
}

function defaultVaultPath(env: Environment, host: HostFacts): string {
  if (host.platform === "win32") {
    const local = env["LOCALAPPDATA"]?.trim() || join(host.homeDirectory, "AppData", "Local");
    return join(local, "Bellhop", "vault.json");
  }
  const state = env["XDG_STATE_HOME"]?.trim() ?? "";
  // The XDG specification has relative paths ignored.
  const base = state.startsWith("/") ? state : join(host.homeDirectory, ".local", "state");
  return join(base, "bellhop", "vault.json");
}
