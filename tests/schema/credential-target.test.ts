import { describe, expect, test } from "bun:test";
import { CONNECTION_CONFIGS, CONNECTION_TYPES, connectionTargetSchema } from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import {
  canonicalTarget,
  coversTarget,
  targetOf,
  writtenTargetSchema,
} from "../../schema/contract/credential-target.ts";
import type { JsonObject } from "../../schema/contract/json.ts";

const FINGERPRINT = `SHA256:${"a".repeat(43)}`;

const target = (type: ConnectionType, config: JsonObject) => targetOf(connectionTargetSchema.parse({ type, config }));
const canonical = (type: ConnectionType, config: JsonObject) => canonicalTarget(target(type, config));

const SSH = { host: "a.example.com", username: "ada", authMethod: "password" };
const HTTP = { baseUrl: "https://api.example.com/v1", authType: "bearer" };
const DATABASE = { host: "db.example.com", database: "shop", driver: "postgres" };
const WINRM = { host: "w.example.com", port: 5986, useSsl: true, authMethod: "ntlm" };
const EMAIL = { smtpHost: "mail.example.com", smtpPort: 587, useTls: true, fromAddress: "ops@example.com" };
const JIRA = { serverUrl: "https://acme.atlassian.net", email: "ops@example.com" };

/** By type: a configuration, the entry of its target, what changes the target, and what does not. */
const CASES: Record<
  ConnectionType,
  { config: JsonObject; entry: JsonObject | null; changes: JsonObject[]; keeps: JsonObject[] }
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

describe.each(CONNECTION_TYPES.map((type) => [type] as const))("the target of a connection of type %s", (type) => {
  const { config, entry, changes, keeps } = CASES[type];

  test("has one entry with its type and the fields that lead there, or none without a credential", () => {
    expect(target(type, config)).toEqual(entry === null ? [] : [entry]);
  });

  test("is another one after an edit of such a field, and no credential for the old one covers it", () => {
    for (const change of changes) {
      const edited = target(type, { ...config, ...change });
      expect([change, coversTarget(target(type, config), edited)]).toEqual([change, false]);
      expect(canonicalTarget(edited)).not.toBe(canonical(type, config));
    }
  });

  test("stays the same in another spelling, and after an edit of any other field", () => {
    for (const change of keeps) {
      expect([change, canonical(type, { ...config, ...change })]).toEqual([change, canonical(type, config)]);
    }
  });

  test("has a row here for every field of its configuration", () => {
    const edited = new Set([...changes, ...keeps].flatMap((change) => Object.keys(change)));
    expect([...edited].sort()).toEqual(Object.keys(CONNECTION_CONFIGS[type].shape).sort());
  });
});

describe("the spelling of a target", () => {
  const same: [ConnectionType, JsonObject, JsonObject][] = [
    ["ssh", { ...SSH, host: "::1" }, { ...SSH, host: "[::1]" }],
    ["ssh", { ...SSH, hostKeyFingerprint: FINGERPRINT }, { ...SSH, hostKeyFingerprint: `${FINGERPRINT}=` }],
    [
      "http",
      { ...HTTP, authType: "apiKey", apiKeyHeader: "X-Key" },
      { ...HTTP, authType: "apiKey", apiKeyHeader: "x-key" },
    ],
    ["database", { ...DATABASE, driver: "mysql" }, { ...DATABASE, driver: "mysql", port: 3306 }],
    ["database", { ...DATABASE, driver: "sqlserver" }, { ...DATABASE, driver: "sqlserver", port: 1433 }],
    // SQLite opens a file: there is no host to lead elsewhere.
    ["database", { driver: "sqlite", database: "/a.db" }, { driver: "sqlite", database: "/a.db", host: "x", port: 1 }],
  ];
  test.each(same)("of type %s is one for %j and %j", (type, one, other) => {
    expect(canonical(type, one)).toBe(canonical(type, other));
  });

  test("of an API key names the header that carries it", () => {
    const named = (apiKeyHeader: string) => target("http", { ...HTTP, authType: "apiKey", apiKeyHeader });
    expect(coversTarget(named("X-Key"), named("X-Other"))).toBe(false);
  });

  test("has its fields in one order, also inside of fields", () => {
    expect(canonicalTarget([{ type: "custom", fields: { b: { d: 1, c: [2, null] }, a: true } }])).toBe(
      '[{"fields":{"a":true,"b":{"c":[2,null],"d":1}},"type":"custom"}]',
    );
  });
});

describe("a credential that is bound to several places", () => {
  const [one, other, third] = [target("ssh", SSH), target("winrm", WINRM), target("email", EMAIL)];
  test("covers each of them and all together, and no other", () => {
    const bound = [...one, ...other];
    for (const wanted of [one, other, bound]) expect(coversTarget(bound, wanted)).toBe(true);
    for (const wanted of [third, [...one, ...third]]) expect(coversTarget(bound, wanted)).toBe(false);
  });

  test("covers no target without places, which leads nowhere", () => {
    expect(coversTarget(one, [])).toBe(false);
    expect(coversTarget([], [])).toBe(false);
  });
});

describe("a target that somebody wrote", () => {
  test("is read as it is shown, for every type", () => {
    for (const type of CONNECTION_TYPES.filter((type) => CASES[type].entry !== null)) {
      const shown = target(type, CASES[type].config);
      expect(writtenTargetSchema.parse(shown)).toEqual(shown);
    }
  });

  test("may leave defaults out, and use another spelling", () => {
    expect(writtenTargetSchema.parse([{ type: "ssh", ...SSH, host: "A.example.com" }])).toEqual(target("ssh", SSH));
    expect(writtenTargetSchema.parse([{ type: "http", baseUrl: `${HTTP.baseUrl}/`, authType: "bearer" }])).toEqual(
      target("http", HTTP),
    );
  });

  const refused: [string, unknown, string][] = [
    ["no list", { type: "ssh" }, ""],
    ["an empty list", [], ""],
    ["an unknown type", [{ type: "telnet" }], "0.type"],
    ["a type that has no credential", [{ type: "script" }], "0.type"],
    ["a missing field", [{ type: "ssh", host: "a", authMethod: "password" }], "0.username"],
    ["an unknown field", [{ type: "chat", channel: "C1" }], "0"],
  ];
  test.each(refused)("is refused where it is %s", (_what, written, path) => {
    const { issues } = writtenTargetSchema.safeParse(written).error ?? { issues: [] };
    expect(issues.map((issue) => issue.path.join("."))).toEqual([path]);
  });
});
