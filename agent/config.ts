import { isAbsolute, join, resolve } from "node:path";
import { agentKeySchema } from "../schema/contract/agent.ts";
import {
  ADMIN_PORT_DEFAULT,
  CONCURRENT_JOBS_DEFAULT,
  CONCURRENT_JOBS_MAX,
  HEARTBEAT_INTERVAL_DEFAULT_SECONDS,
  OFFLINE_AFTER_MS,
  POLL_INTERVAL_DEFAULT_SECONDS,
} from "../schema/limits.ts";
import { parseApiUrl, parseProxyUrl, parseServiceUrl } from "./config-urls.ts";
import type { Parsed } from "./config-urls.ts";
import { LOG_FORMATS, LOG_LEVELS } from "./log.ts";
import type { LogFormat, LogLevel } from "./log.ts";

const SECOND_MS = 1_000;
const OFFLINE_AFTER_SECONDS = OFFLINE_AFTER_MS / SECOND_MS;
const SLACK_API_URL_DEFAULT = "https://slack.com/api";
const POLL_INTERVAL_MIN_SECONDS = 0.1;
const POLL_INTERVAL_MAX_SECONDS = 3_600;
const ADMIN_TOKEN_FORM = /^[\x21-\x7e]{1,1024}$/u;
// oxlint-disable-next-line no-control-regex -- a name with control characters would break log lines and tables
const NAME_FORM = /^[^\u0000-\u001f\u007f]{1,255}$/u;

/** The configuration of the agent process (specification, "Agent configuration"), parsed once. */
export interface AgentConfig {
  /** The deployment's address without a trailing slash. */
  apiUrl: string;
  /** Empty where it is in a file. */
  apiKey: string;
  /** Read when nothing that an earlier process left can see it any more. */
  apiKeyFile: string | null;
  name: string;
  pollIntervalMs: number;
  heartbeatIntervalMs: number;
  maxConcurrentJobs: number;
  /** 0 takes any free port. */
  adminPort: number;
  /** Null: one is made and kept beside the vault. */
  adminToken: string | null;
  /** Absolute. */
  vaultPath: string;
  logLevel: LogLevel;
  /** Null: text for a terminal, JSON for everything else. */
  logFormat: LogFormat | null;
  allowPrivateNetwork: boolean;
  allowOsRestart: boolean;
  /** The socket behind which systemd starts the processes of jobs. */
  jobSocket: string | null;
  /** The account that jobs run as; `off`: the agent's own; null: accounts of their own, where the agent is root. */
  jobUser: string | null;
  /** Without a trailing slash. */
  slackApiUrl: string;
  /** Whether a WebSocket tells when there is something to fetch; polling goes on with it and without. */
  wakeSocket: boolean;
  /** The password inside HTTPS_PROXY: fetch reads the address itself, the log must not show this part. */
  proxyPassword: string | null;
}

export type ConfigResult = { ok: true; config: AgentConfig } | { ok: false; problems: string[] };
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
  const read = readerOf(env, problems);
  const required = (name: string, parse: (text: string) => Parsed<string>, hint: string): string => {
    const missing = (env[name]?.trim() ?? "") === "";
    if (missing) problems.push(`${name} is required: ${hint}`);
    return read(name, "", parse) ?? "";
  };

  const apiKeyFile = read<string>("AGENT_API_KEY_FILE", undefined, parseFilePath) ?? null;
  if (apiKeyFile !== null && (env["AGENT_API_KEY"]?.trim() ?? "") !== "") {
    problems.push("AGENT_API_KEY_FILE is set beside AGENT_API_KEY: keep one of the two");
  }
  const config: AgentConfig = {
    apiUrl: required(
      "AGENT_API_URL",
      parseServiceUrl,
      "set it to the address of your Bellhop deployment, such as https://bellhop.example.com",
    ),
    apiKey:
      apiKeyFile !== null
        ? ""
        : required(
            "AGENT_API_KEY",
            parseApiKey,
            "set it to the key that was shown when the agent was created or its key was regenerated, or set AGENT_API_KEY_FILE to a file that holds it",
          ),
    apiKeyFile,
    name: read("AGENT_NAME", host.hostName, parseName) ?? host.hostName,
    pollIntervalMs:
      SECOND_MS *
      (read("POLL_INTERVAL", POLL_INTERVAL_DEFAULT_SECONDS, parsePollInterval) ?? POLL_INTERVAL_DEFAULT_SECONDS),
    heartbeatIntervalMs:
      SECOND_MS *
      (read("HEARTBEAT_INTERVAL", HEARTBEAT_INTERVAL_DEFAULT_SECONDS, parseHeartbeatInterval) ??
        HEARTBEAT_INTERVAL_DEFAULT_SECONDS),
    maxConcurrentJobs:
      read("MAX_CONCURRENT_JOBS", CONCURRENT_JOBS_DEFAULT, (text) => parseWhole(text, 1, CONCURRENT_JOBS_MAX)) ??
      CONCURRENT_JOBS_DEFAULT,
    adminPort: read("ADMIN_PORT", ADMIN_PORT_DEFAULT, (text) => parseWhole(text, 0, 65_535)) ?? ADMIN_PORT_DEFAULT,
    ...readPlaces(read, env, host),
    logLevel: read<LogLevel>("LOG_LEVEL", "INFO", parseLogLevel) ?? "INFO",
    logFormat: read<LogFormat>("LOG_FORMAT", undefined, parseLogFormat) ?? null,
    allowPrivateNetwork: read("ALLOW_PRIVATE_NETWORK", false, parseBoolean) ?? false,
    allowOsRestart: read("ALLOW_OS_RESTART", false, parseBoolean) ?? false,
    wakeSocket: read("WAKE_SOCKET", true, parseSwitch) ?? true,
    proxyPassword: null,
  };
  for (const name of ["HTTPS_PROXY", "https_proxy"]) {
    config.proxyPassword = read<string | null>(name, config.proxyPassword, parseProxyUrl) ?? config.proxyPassword;
  }
  return problems.length === 0 ? { ok: true, config } : { ok: false, problems };
}

/** What the commands need that look after this machine's vault; nothing is required of them. */
export type LocalConfig = Pick<AgentConfig, "adminToken" | "vaultPath" | "slackApiUrl" | "jobSocket" | "jobUser"> & {
  /** Null: only the running agent can open the vault. */
  apiKey: string | null;
};

/** As `readConfig`, for the commands beside `run`. */
export function readLocalConfig(
  env: Environment,
  host: HostFacts,
): { ok: true; config: LocalConfig } | { ok: false; problems: string[] } {
  const problems: string[] = [];
  const read = readerOf(env, problems);
  const config = {
    ...readPlaces(read, env, host),
    apiKey: read<string>("AGENT_API_KEY", undefined, parseApiKey) ?? null,
  };
  return problems.length === 0 ? { ok: true, config } : { ok: false, problems };
}

type Reader = <T>(name: string, fallback: T | undefined, parse: (text: string) => Parsed<T>) => T | undefined;

function readerOf(env: Environment, problems: string[]): Reader {
  return (name, fallback, parse) => {
    const text = env[name]?.trim() ?? "";
    if (text === "") return fallback;
    const parsed = parse(text);
    if ("value" in parsed) return parsed.value;
    problems.push(`${name} ${parsed.problem}`);
    return fallback;
  };
}

function readPlaces(read: Reader, env: Environment, host: HostFacts): Omit<LocalConfig, "apiKey"> {
  return {
    adminToken: read<string>("ADMIN_TOKEN", undefined, parseAdminToken) ?? null,
    vaultPath: read("VAULT_PATH", defaultVaultPath(env, host), (text) => parseVaultPath(text, host)) ?? "",
    slackApiUrl: read("SLACK_API_URL", SLACK_API_URL_DEFAULT, parseApiUrl) ?? SLACK_API_URL_DEFAULT,
    jobSocket: read<string>("JOB_SOCKET", undefined, parseFilePath) ?? null,
    jobUser: read<string>("JOB_USER", undefined, parseJobUser) ?? null,
  };
}

function parseApiKey(text: string): Parsed<string> {
  // The value is never repeated: it may be a real key with one character too many.
  if (agentKeySchema.safeParse(text).success) return { value: text };
  return { problem: "must have the form bh<10 characters>_<43 characters>: copy the whole key, without quotes" };
}

function parseFilePath(text: string): Parsed<string> {
  if (isAbsolute(text) && !text.includes("\0")) return { value: text };
  return { problem: `must be a whole path, such as /etc/bellhop/agent.key, not ${shown(text)}` };
}

function parseJobUser(text: string): Parsed<string> {
  if (/^(?:[a-z_][a-z0-9_-]{0,31}|\d{1,9})$/u.test(text)) return { value: text };
  return { problem: `must be the name or the number of an account, or off, not ${shown(text)}` };
}

function parseName(text: string): Parsed<string> {
  if (NAME_FORM.test(text)) return { value: text };
  return { problem: "must have 1 to 255 characters, none of them control characters" };
}

function parsePollInterval(text: string): Parsed<number> {
  const seconds = parseSeconds(text);
  if (seconds !== null && seconds >= POLL_INTERVAL_MIN_SECONDS && seconds <= POLL_INTERVAL_MAX_SECONDS) {
    return { value: seconds };
  }
  return {
    problem: `must be a number of seconds from ${POLL_INTERVAL_MIN_SECONDS} to ${POLL_INTERVAL_MAX_SECONDS}, not ${shown(text)}`,
  };
}

function parseHeartbeatInterval(text: string): Parsed<number> {
  const seconds = parseSeconds(text);
  if (seconds !== null && seconds >= 1 && seconds < OFFLINE_AFTER_SECONDS) return { value: seconds };
  return {
    problem:
      `must be a number of seconds of at least 1 and under ${OFFLINE_AFTER_SECONDS}, not ${shown(text)}: ` +
      `an agent without a heartbeat for ${OFFLINE_AFTER_SECONDS} seconds counts as offline`,
  };
}

function parseSeconds(text: string): number | null {
  return /^\d{1,6}(\.\d{1,3})?$/u.test(text) ? Number(text) : null;
}

function parseWhole(text: string, min: number, max: number): Parsed<number> {
  const value = /^\d{1,6}$/u.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return { value };
  return { problem: `must be a whole number from ${min} to ${max}, not ${shown(text)}` };
}

function parseAdminToken(text: string): Parsed<string> {
  if (ADMIN_TOKEN_FORM.test(text)) return { value: text };
  return {
    problem:
      "must have 1 to 1024 visible characters without spaces, and better many, for it opens the vault: " +
      "make one with openssl rand -hex 32, or leave it unset and one is made",
  };
}

function parseLogLevel(text: string): Parsed<LogLevel> {
  const level = LOG_LEVELS.find((known) => known === text.toUpperCase());
  return level === undefined
    ? { problem: `must be one of ${LOG_LEVELS.join(", ")}, not ${shown(text)}` }
    : { value: level };
}

function parseLogFormat(text: string): Parsed<LogFormat> {
  const format = LOG_FORMATS.find((known) => known === text.toLowerCase());
  return format === undefined
    ? { problem: `must be one of ${LOG_FORMATS.join(", ")}, not ${shown(text)}` }
    : { value: format };
}

function parseBoolean(text: string): Parsed<boolean> {
  const lower = text.toLowerCase();
  if (lower === "true" || lower === "1") return { value: true };
  if (lower === "false" || lower === "0") return { value: false };
  return { problem: `must be true or false (or 1 or 0), not ${shown(text)}` };
}

function parseSwitch(text: string): Parsed<boolean> {
  const lower = text.toLowerCase();
  if (lower === "on" || lower === "off") return { value: lower === "on" };
  return { problem: `must be on or off, not ${shown(text)}` };
}

function parseVaultPath(text: string, host: HostFacts): Parsed<string> {
  if (text.includes("\0") || /[\\/]$/u.test(text)) {
    return { problem: "must name a file, such as /var/lib/bellhop/vault.json" };
  }
  return { value: resolve(host.workingDirectory, text) };
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

function shown(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
}
