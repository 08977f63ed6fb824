import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CONNECTION_CONFIGS, CONNECTION_TYPES, takesCredential } from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { targetsOf } from "../support/credential-targets.ts";
import { call } from "../support/management-api.ts";

let bellhop: Bellhop;
let targets: ReturnType<typeof targetsOf>;
beforeAll(async () => {
  bellhop = await startBellhop();
  targets = targetsOf(bellhop);
});
afterAll(() => bellhop.stop());

interface Case {
  config: JsonObject;
  /** Another value for each field that says where the credential goes, with the word that the reason has for it. */
  target: Record<string, [value: JsonObject[string], word: string]>;
  /** Another value for each field that does not. */
  other: JsonObject;
}
const KEY = `SHA256:${"A".repeat(43)}`;
const CASES: Partial<Record<ConnectionType, Case>> = {
  ssh: {
    config: { host: "db-1.internal", port: 22, username: "deploy", authMethod: "password" },
    target: {
      host: ["evil.example", "host"],
      port: [2_222, "port"],
      username: ["root", "user name"],
      authMethod: ["privateKey", "authentication"],
      hostKeyFingerprint: [KEY, "host key"],
    },
    other: {},
  },
  http: {
    config: { baseUrl: "https://api.example.com/v2", authType: "apiKey" },
    target: {
      baseUrl: ["https://api.example.com/v3", "address"],
      authType: ["bearer", "authentication and header of the API key"],
      apiKeyHeader: ["X-Other", "header of the API key"],
      verifySsl: [false, "TLS verification"],
    },
    other: { timeoutSeconds: 5 },
  },
  kubernetes: {
    config: { context: "prod" },
    target: { context: ["test", "context"], kubeconfigPath: ["/etc/other", "kubeconfig on the agent"] },
    other: { namespace: "web" },
  },
  database: {
    config: { driver: "postgres", host: "db-1", database: "app" },
    target: {
      driver: ["mysql", "kind of database and port"],
      host: ["evil.example", "host"],
      port: [5_433, "port"],
      database: ["other", "database"],
      tls: ["off", "encryption"],
    },
    other: {},
  },
  winrm: {
    config: { host: "win-1", port: 5_986, useSsl: true, authMethod: "ntlm" },
    target: {
      host: ["evil.example", "host"],
      port: [5_985, "port"],
      useSsl: [false, "HTTPS"],
      authMethod: ["basic", "authentication"],
    },
    other: {},
  },
  email: {
    config: { smtpHost: "smtp.example.com", smtpPort: 587, useTls: true, fromAddress: "a@example.com" },
    target: {
      smtpHost: ["evil.example", "mail server"],
      smtpPort: [25, "port"],
      useTls: [false, "TLS"],
    },
    other: { fromAddress: "b@example.com" },
  },
  ticketing: {
    config: { serverUrl: "https://acme.atlassian.net", email: "a@example.com" },
    target: {
      serverUrl: ["https://evil.example", "Jira site"],
      email: ["b@example.com", "account"],
    },
    other: {},
  },
  chat: { config: { defaultChannel: "C024BE91L" }, target: {}, other: { defaultChannel: "C024BE91M" } },
  teamchat: { config: {}, target: {}, other: { webhookUrl: "https://a.example/hook" } },
  custom: { config: { fields: { zone: "eu" } }, target: { fields: [{ zone: "us" }, "field zone"] }, other: {} },
};

test("every field of every type is in this table", () => {
  for (const type of CONNECTION_TYPES.filter(takesCredential)) {
    const { target = {}, other = {} } = CASES[type] ?? {};
    const known = [...Object.keys(target), ...Object.keys(other)];
    expect([type, ...known.toSorted()]).toEqual([type, ...Object.keys(CONNECTION_CONFIGS[type].shape).toSorted()]);
  }
});

describe.each(Object.entries(CASES))("an edit of a connection of type %s", (name, { config, target, other }) => {
  const type = CONNECTION_TYPES.find((one) => one === name) ?? "ssh";

  test("takes the credential away when it changes the target, says why, and gives it back with the former value", async () => {
    const { id } = await targets.delivered(type, config);
    for (const [field, [value, word]] of Object.entries(target)) {
      expect([field, await targets.patch(id, { ...config, [field]: value })]).toEqual([field, 200]);
      expect([field, ...(await targets.statusOf(id))]).toEqual([
        field,
        "pending",
        `The connection's ${word} changed after this credential was delivered. Deliver the credential again, or change the connection back. Or test the connection, so that the agent sees its target, and then bind the credential on the agent's machine (bellhop-agent credentials bind ${id}).`,
      ]);
      expect(await targets.patch(id, config)).toBe(200);
      expect([field, ...(await targets.statusOf(id))]).toEqual([field, "delivered", null]);
    }
  });

  test("leaves the credential where it is when it changes anything else", async () => {
    const { id } = await targets.delivered(type, config);
    for (const [field, value] of Object.entries(other)) {
      expect([field, await targets.patch(id, { ...config, [field]: value })]).toEqual([field, 200]);
      expect([field, ...(await targets.statusOf(id))]).toEqual([field, "delivered", null]);
    }
    await call(bellhop, "PATCH", `/connections/${id}`, { name: "another name" });
    expect(await targets.statusOf(id)).toEqual(["delivered", null]);
  });
});
