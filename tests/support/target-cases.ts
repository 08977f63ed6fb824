import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { JsonObject } from "../../schema/contract/json.ts";

export const FINGERPRINT = `SHA256:${"a".repeat(43)}`;
export const SSH = { host: "a.example.com", username: "ada", authMethod: "password" };
export const HTTP = { baseUrl: "https://api.example.com/v1", authType: "bearer" };
export const DATABASE = { host: "db.example.com", database: "shop", driver: "postgres" };
const WINRM = { host: "w.example.com", port: 5986, useSsl: true, authMethod: "ntlm" };
const EMAIL = { smtpHost: "mail.example.com", smtpPort: 587, useTls: true, fromAddress: "ops@example.com" };
const JIRA = { serverUrl: "https://acme.atlassian.net", email: "ops@example.com" };

/** By type: a configuration, the entry of its target, what changes the target, and what does not. */
export const TARGET_CASES: Readonly<
  Record<ConnectionType, { config: JsonObject; entry: JsonObject | null; changes: JsonObject[]; keeps: JsonObject[] }>
> = {
  ssh: {
    config: SSH,
    entry: { type: "ssh", host: "a.example.com", port: 22, username: "ada", authMethod: "password" },
    changes: [
      { host: "b.example.com" },
      { host: "a.example.com." },
      { port: 2222 },
      { username: "Ada" },
      { authMethod: "privateKey" },
      { hostKeyFingerprint: FINGERPRINT },
    ],
    keeps: [{ host: "A.Example.COM" }, { port: 22 }],
  },
  http: {
    config: HTTP,
    entry: { type: "http", baseUrl: "https://api.example.com/v1", authType: "bearer", verifySsl: true },
    changes: [
      { baseUrl: "http://api.example.com/v1" },
      { baseUrl: "https://api.example.com:8443/v1" },
      { baseUrl: "https://api.example.com/v2" },
      { baseUrl: "https://api.example.com/V1" },
      { baseUrl: "https://api.example.com" },
      { baseUrl: "https://api.example.com/v1?tenant=other/" },
      { baseUrl: "https://api.example.com.evil.example/v1" },
      { baseUrl: "https://api.example.com/v1/../v2" },
      { authType: "basic" },
      { authType: "apiKey" },
      { verifySsl: false },
    ],
    keeps: [
      { baseUrl: "HTTPS://API.example.com:443/v1/" },
      { baseUrl: "https://api.example.com/v1//#top" },
      { baseUrl: "https://api.example.com/v2/../v1" },
      // Of no use to another kind of login.
      { apiKeyHeader: "X-Other" },
      { timeoutSeconds: 5 },
    ],
  },
  kubernetes: {
    config: { context: "prod", kubeconfigPath: "/etc/kubeconfig" },
    entry: { type: "kubernetes", context: "prod", kubeconfigPath: "/etc/kubeconfig" },
    changes: [{ context: "Prod" }, { kubeconfigPath: "/etc/other" }],
    keeps: [{ namespace: "shop" }],
  },
  database: {
    config: DATABASE,
    entry: {
      type: "database",
      driver: "postgres",
      host: "db.example.com",
      port: 5432,
      database: "shop",
      tls: "verify",
    },
    changes: [
      { driver: "mysql" },
      { host: "other.example.com" },
      { port: 5433 },
      { database: "Shop" },
      { tls: "require" },
      { tls: "off" },
    ],
    keeps: [{ host: "DB.example.com" }, { port: 5432 }, { tls: "verify" }],
  },
  winrm: {
    config: WINRM,
    entry: { type: "winrm", ...WINRM },
    changes: [{ host: "other.example.com" }, { port: 5985 }, { useSsl: false }, { authMethod: "basic" }],
    keeps: [{ host: "W.EXAMPLE.com" }],
  },
  email: {
    config: EMAIL,
    entry: { type: "email", smtpHost: "mail.example.com", smtpPort: 587, useTls: true },
    changes: [{ smtpHost: "mail.evil.example" }, { smtpPort: 25 }, { useTls: false }],
    keeps: [{ smtpHost: "MAIL.example.com" }, { fromAddress: "other@example.com" }],
  },
  ticketing: {
    config: JIRA,
    entry: { type: "ticketing", serverUrl: "https://acme.atlassian.net", email: "ops@example.com" },
    changes: [{ serverUrl: "https://evil.atlassian.net" }, { email: "other@example.com" }],
    keeps: [{ serverUrl: "https://ACME.atlassian.net:443/" }],
  },
  chat: {
    config: { defaultChannel: "C024BE91L" },
    entry: { type: "chat" },
    changes: [],
    keeps: [{ defaultChannel: "C999BE91L" }],
  },
  teamchat: {
    config: {},
    entry: { type: "teamchat" },
    changes: [],
    keeps: [{ webhookUrl: "https://example.com/hook" }],
  },
  custom: {
    config: { fields: { host: "A", port: 1 } },
    entry: { type: "custom", fields: { host: "A", port: 1 } },
    changes: [
      { fields: { host: "a", port: 1 } },
      { fields: { host: "A", port: "1" } },
      { fields: { host: "A" } },
      { fields: { host: "A", port: 1, more: null } },
    ],
    keeps: [{ fields: { port: 1, host: "A" } }],
  },
  script: { config: {}, entry: null, changes: [], keeps: [] },
  osService: { config: {}, entry: null, changes: [], keeps: [] },
  notification: { config: {}, entry: null, changes: [], keeps: [] },
};
