import { describe, expect, test } from "bun:test";
import { readConfig } from "../../agent/config.ts";
import type { AgentConfig, HostFacts } from "../../agent/config.ts";
import { FAKE_AGENT_KEY } from "../support/fake-service.ts";

const linux: HostFacts = { hostName: "db-7", platform: "linux", homeDirectory: "/home/ada", workingDirectory: "/srv" };
const required = { AGENT_API_URL: "https://bellhop.example.com", AGENT_API_KEY: FAKE_AGENT_KEY };

function config(env: Record<string, string>, host = linux): AgentConfig {
  const result = readConfig({ ...required, ...env }, host);
  if (!result.ok) throw new Error(result.problems.join("; "));
  return result.config;
}

function problems(env: Record<string, string | undefined>): string[] {
  const result = readConfig({ ...required, ...env }, linux);
  return result.ok ? [] : result.problems;
}

test("every setting but the two required ones has the default of docs/design/agent-protocol.md#configuration", () => {
  expect(config({})).toEqual({
    apiUrl: "https://bellhop.example.com",
    apiKey: FAKE_AGENT_KEY,
    apiKeyFile: null,
    name: "db-7",
    pollIntervalMs: 5_000,
    heartbeatIntervalMs: 30_000,
    maxConcurrentJobs: 5,
    adminPort: 9_191,
    adminToken: null,
    vaultPath: "/home/ada/.local/state/bellhop/vault.json",
    logLevel: "INFO",
    logFormat: null,
    allowPrivateNetwork: false,
    allowOsRestart: false,
    jobSocket: null,
    jobUser: null,
    slackApiUrl: "https://slack.com/api",
    wakeSocket: true,
    proxyPasswords: [],
    releaseKey: null,
    misspelt: [],
  });
});

const accepted: [string, string, Partial<AgentConfig>][] = [
  ["AGENT_API_URL", "https://bellhop.example.com/", { apiUrl: "https://bellhop.example.com" }],
  ["AGENT_API_URL", "https://example.com/ops/bellhop/", { apiUrl: "https://example.com/ops/bellhop" }],
  ["AGENT_API_URL", "https://api.example.com/apis", { apiUrl: "https://api.example.com/apis" }],
  ["SLACK_API_URL", "https://slack.com/api", { slackApiUrl: "https://slack.com/api" }],
  ["AGENT_API_URL", "https://[2001:db8::1]:8443", { apiUrl: "https://[2001:db8::1]:8443" }],
  ["AGENT_API_URL", "http://127.0.0.1:8787", { apiUrl: "http://127.0.0.1:8787" }],
  ["AGENT_API_URL", "http://localhost:8787", { apiUrl: "http://localhost:8787" }],
  ["AGENT_API_URL", "http://[::1]:8787", { apiUrl: "http://[::1]:8787" }],
  ["AGENT_API_KEY", ` ${FAKE_AGENT_KEY}\n`, { apiKey: FAKE_AGENT_KEY }],
  ["AGENT_NAME", "Küche 2, rack b", { name: "Küche 2, rack b" }],
  ["AGENT_NAME", "  ", { name: "db-7" }],
  ["POLL_INTERVAL", "0.1", { pollIntervalMs: 100 }],
  ["POLL_INTERVAL", "3600", { pollIntervalMs: 3_600_000 }],
  ["HEARTBEAT_INTERVAL", "1", { heartbeatIntervalMs: 1_000 }],
  ["HEARTBEAT_INTERVAL", "89.9", { heartbeatIntervalMs: 89_900 }],
  ["MAX_CONCURRENT_JOBS", "1", { maxConcurrentJobs: 1 }],
  ["MAX_CONCURRENT_JOBS", "50", { maxConcurrentJobs: 50 }],
  ["ADMIN_PORT", "0", { adminPort: 0 }],
  ["ADMIN_PORT", "65535", { adminPort: 65_535 }],
  ["ADMIN_TOKEN", "0123456789abcdef", { adminToken: "0123456789abcdef" }],
  ["LOG_FORMAT", "JSON", { logFormat: "json" }],
  ["LOG_FORMAT", "text", { logFormat: "text" }],
  ["ADMIN_TOKEN", "short", { adminToken: "short" }],
  ["VAULT_PATH", "/var/lib/bellhop/v.json", { vaultPath: "/var/lib/bellhop/v.json" }],
  ["VAULT_PATH", "state/v.json", { vaultPath: "/srv/state/v.json" }],
  ["LOG_LEVEL", "debug", { logLevel: "DEBUG" }],
  ["LOG_LEVEL", "ERROR", { logLevel: "ERROR" }],
  ["ALLOW_PRIVATE_NETWORK", "true", { allowPrivateNetwork: true }],
  ["ALLOW_PRIVATE_NETWORK", "1", { allowPrivateNetwork: true }],
  ["ALLOW_PRIVATE_NETWORK", "False", { allowPrivateNetwork: false }],
  ["ALLOW_OS_RESTART", "TRUE", { allowOsRestart: true }],
  ["ALLOW_OS_RESTART", "0", { allowOsRestart: false }],
  ["WAKE_SOCKET", "off", { wakeSocket: false }],
  ["WAKE_SOCKET", "ON", { wakeSocket: true }],
  ["HTTPS_PROXY", "http://proxy.example.com:3128", { proxyPasswords: [] }],
  ["HTTPS_PROXY", "http://ada:p%40ss@proxy.example.com:3128", { proxyPasswords: ["p@ss"] }],
  ["https_proxy", "https://ada:word@proxy.example.com", { proxyPasswords: ["word"] }],
  ["all_proxy", "socks5://ada:p%40ss@proxy.example.com", { proxyPasswords: ["p@ss"] }],
  ["HTTP_PROXY", "ada:word@proxy.example.com:3128", { proxyPasswords: ["word"] }],
];

describe("readConfig accepts", () => {
  for (const [name, value, expected] of accepted) {
    test(`${name}=${JSON.stringify(value)}`, () => {
      expect(config({ [name]: value })).toMatchObject(expected);
    });
  }
});

const refused: [string, string, string][] = [
  ["AGENT_API_URL", "bellhop.example.com", "https:// address"],
  ["AGENT_API_URL", "ftp://bellhop.example.com", "https:// address"],
  ["AGENT_API_URL", "http://bellhop.example.com", "plain http"],
  ["AGENT_API_URL", "http://127.0.0.1.example.com", "plain http"],
  ["AGENT_API_URL", "http://10.0.0.1", "plain http"],
  ["AGENT_API_URL", "https://bellhop.example.com:0", "https:// address"],
  ["AGENT_API_URL", "https://ada:secret@bellhop.example.com", "user or password"],
  ["AGENT_API_URL", "https://bellhop.example.com/?a=b", "without ? and #"],
  ["AGENT_API_URL", "https://bellhop.example.com/api/v1/agent", "leave out /api/v1/agent"],
  [
    "AGENT_API_URL",
    "http://127.0.0.1:8787/api/v1/automation",
    "use http://127.0.0.1:8787 (leave out /api/v1/automation)",
  ],
  ["AGENT_API_URL", "https://example.com/ops/api/v1/", "use https://example.com/ops (leave out /api/v1)"],
  ["AGENT_API_URL", "https://bellhop.example.com/healthz", "use https://bellhop.example.com"],
  ["AGENT_API_KEY", "bhTestAgent1", "copy the whole key"],
  ["AGENT_API_KEY", `"${FAKE_AGENT_KEY}"`, "without quotes"],
  ["JOB_SOCKET", "C:\\run", "absolute path"],
  ["AGENT_NAME", "x".repeat(256), "1 to 255"],
  ["AGENT_NAME", "a\tb", "control characters"],
  ["POLL_INTERVAL", "0", "from 0.1 to 3600"],
  ["POLL_INTERVAL", "-1", "from 0.1 to 3600"],
  ["POLL_INTERVAL", "3601", "from 0.1 to 3600"],
  ["POLL_INTERVAL", "5s", "from 0.1 to 3600"],
  ["POLL_INTERVAL", "1e3", "from 0.1 to 3600"],
  ["HEARTBEAT_INTERVAL", "90", "counts as offline"],
  ["HEARTBEAT_INTERVAL", "0.5", "at least 1"],
  ["HEARTBEAT_INTERVAL", "NaN", "at least 1"],
  ["MAX_CONCURRENT_JOBS", "0", "from 1 to 50"],
  ["MAX_CONCURRENT_JOBS", "51", "from 1 to 50"],
  ["MAX_CONCURRENT_JOBS", "2.5", "from 1 to 50"],
  ["ADMIN_PORT", "65536", "from 0 to 65535"],
  ["ADMIN_PORT", "http", "from 0 to 65535"],
  ["ADMIN_TOKEN", "with a space in it", "without spaces"],
  ["VAULT_PATH", "/var/lib/bellhop/", "name a file"],
  ["WAKE_SOCKET", "no", "must be on or off"],
  ["LOG_LEVEL", "WARN", "one of DEBUG, INFO, WARNING, ERROR"],
  ["LOG_FORMAT", "logfmt", "one of json, text"],
  ["ALLOW_PRIVATE_NETWORK", "yes", "true or false"],
  ["ALLOW_OS_RESTART", "on", "true or false"],
  ["SLACK_API_URL", "slack.com", "such as https://slack.com/api"],
  ["SLACK_API_URL", "https://ada:secret@slack.com/api", "the connection's credential"],
  ["AGENT_RELEASE_KEY", "nope", "base64 of an Ed25519 public key"],
  ["HTTPS_PROXY", "proxy.example.com:3128", "http:// or https://"],
  ["HTTPS_PROXY", "http://proxy.example.com:0", "http:// or https://"],
  ["HTTPS_PROXY", "socks5://proxy.example.com", "http:// or https://"],
];

describe("readConfig refuses with advice", () => {
  for (const [name, value, expected] of refused) {
    test(`${name}=${JSON.stringify(value)}`, () => {
      const [problem, ...others] = problems({ [name]: value });
      expect(others).toEqual([]);
      expect(problem).toStartWith(`${name} `);
      expect(problem).toContain(expected);
    });
  }
});

test("a misspelled setting is reported, and other programs' variables are ignored", () => {
  const others = { FTP_PROXY: "x", DB_USER: "x", DATABASE_URL: "x", https_proxy: "http://p.example.com", PATH: "/bin" };
  expect(config({ ...others, LOG_LEVL: "DEBUG", poll_interval: "9", HEARTBEAT_INTERVALL: "9" }).misspelt).toEqual([
    { name: "LOG_LEVL", meant: "LOG_LEVEL" },
    { name: "poll_interval", meant: "POLL_INTERVAL" },
    { name: "HEARTBEAT_INTERVALL", meant: "HEARTBEAT_INTERVAL" },
  ]);
});

test("all problems are reported together", () => {
  const found = problems({ AGENT_API_URL: undefined, AGENT_API_KEY: "", POLL_INTERVAL: "x", ALLOW_OS_RESTART: "x" });
  expect(found.map((problem) => problem.split(" ", 1)[0])).toEqual([
    "AGENT_API_URL",
    "AGENT_API_KEY",
    "POLL_INTERVAL",
    "ALLOW_OS_RESTART",
  ]);
});

test("AGENT_API_KEY_FILE takes a path of the agent's own platform only", () => {
  const windows = { ...linux, platform: "win32" };
  const refusedOn = (host: HostFacts, path: string) =>
    !readConfig({ AGENT_API_URL: required.AGENT_API_URL, AGENT_API_KEY_FILE: path }, host).ok;
  for (const path of ["C:\\bellhop\\agent.key", "C:/bellhop/agent.key", "\\\\host\\share\\agent.key"]) {
    expect([refusedOn(windows, path), refusedOn(linux, path)]).toEqual([false, true]);
  }
  expect([refusedOn(windows, "/etc/agent.key"), refusedOn(linux, "/etc/agent.key")]).toEqual([true, false]);
});

test("a refused secret is not repeated, even in AGENT_API_KEY_FILE", () => {
  const [misplaced, ...others] = problems({ AGENT_API_KEY: undefined, AGENT_API_KEY_FILE: FAKE_AGENT_KEY });
  expect([misplaced, others]).toEqual([expect.stringMatching(/^AGENT_API_KEY_FILE must /u), []]);
  expect(misplaced).not.toContain(FAKE_AGENT_KEY.slice(0, 12));

  const secret = "bhTestAgent1-almost-a-real-key";
  const found = problems({ AGENT_API_KEY: secret, ADMIN_TOKEN: "tiny one", HTTPS_PROXY: "ada:hunter22@proxy" });
  expect(found).toHaveLength(3);
  expect(found.join("\n")).not.toContain(secret);
  expect(found.join("\n")).not.toContain("tiny one");
  expect(found.join("\n")).not.toContain("hunter22");
});

describe("the vault's default path", () => {
  test("is below XDG_STATE_HOME", () => {
    expect(config({ XDG_STATE_HOME: "/data/state" }).vaultPath).toBe("/data/state/bellhop/vault.json");
  });
  test("ignores a relative XDG_STATE_HOME, as its specification says", () => {
    expect(config({ XDG_STATE_HOME: "state" }).vaultPath).toBe("/home/ada/.local/state/bellhop/vault.json");
  });
  test("is below LOCALAPPDATA on Windows", () => {
    const windows = { ...linux, platform: "win32" };
    expect(config({ LOCALAPPDATA: "/Users/ada/AppData/Local" }, windows).vaultPath).toBe(
      "/Users/ada/AppData/Local/Bellhop/vault.json",
    );
  });
});
