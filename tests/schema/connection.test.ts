import { describe, expect, test } from "bun:test";
import {
  CONNECTION_CONFIGS,
  CONNECTION_TYPES,
  connectionTargetSchema,
  needsCredential,
} from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import { CONNECTIONS } from "../../schema/contract/connections/index.ts";
import { pluck } from "../../schema/contract/records.ts";

const examples = pluck(pluck(CONNECTIONS, "example"), "config");
const { ssh: SSH, http: HTTP, ticketing: TICKETING, database: DATABASE, teamchat: TEAMCHAT } = examples;

describe("connection types", () => {
  for (const type of CONNECTION_TYPES) {
    test(`${type}: an example of its fields is accepted`, () => {
      expect(connectionTargetSchema.safeParse({ type, config: examples[type] }).error).toBeUndefined();
    });
    for (const key of ["password", "privateKey", "token", "apiKey", "anything"]) {
      test(`${type}: a config with the key ${key} is refused`, () => {
        expect(CONNECTION_CONFIGS[type].safeParse({ ...examples[type], [key]: "x" }).success).toBe(false);
      });
    }
  }

  const refused: [string, ConnectionType, Record<string, unknown>][] = [
    ["a port above 65535", "ssh", { ...SSH, port: 65_536 }],
    ["a port of 0", "ssh", { ...SSH, port: 0 }],
    ["an unknown auth method", "ssh", { ...SSH, authMethod: "agent" }],
    ["a host with a space", "ssh", { ...SSH, host: "web 1" }],
    ["a base URL that is not an http address", "http", { ...HTTP, baseUrl: "file:///etc/passwd" }],
    ["a base URL with user and password", "http", { ...HTTP, baseUrl: "https://me:secret@api.example.com" }],
    ["a base URL with only a user", "http", { ...HTTP, baseUrl: "https://token@api.example.com" }],
    ["a channel's name in place of its id", "chat", { defaultChannel: "#incidents" }],
    ["an invalid email address", "ticketing", { ...TICKETING, email: "ops" }],
    ["a database without a host", "database", { database: "shop", driver: "mysql" }],
    ["a custom field that steers programs", "custom", { fields: { LD_PRELOAD: "x" } }],
    ["a secret among custom fields", "custom", { fields: { api_key: "x" } }],
    ["a password among custom fields", "custom", { fields: { DB_PASSWORD: "x" } }],
  ];
  for (const [what, type, config] of refused) {
    test(`${type}: ${what} is refused`, () => {
      expect(CONNECTION_CONFIGS[type].safeParse(config).success).toBe(false);
    });
  }

  const whole = "must be an absolute path on the agent's host, such as /etc/bellhop/kubeconfig, or ~/…";
  const label = "must be a name of lower-case letters, digits and -, with a letter or digit at both ends";
  test.each([
    [{ namespace: "Bad_NS" }, "namespace", label],
    [{ namespace: "-shop" }, "namespace", label],
    [{ namespace: "kube/system" }, "namespace", label],
    [{ kubeconfigPath: "rel/kc" }, "kubeconfigPath", whole],
    [{ kubeconfigPath: "./kc" }, "kubeconfigPath", whole],
    [{ kubeconfigPath: "~other/kc" }, "kubeconfigPath", whole],
  ])("kubernetes: %j is refused with its path and advice", (config, field, message) => {
    const issues = connectionTargetSchema.safeParse({ type: "kubernetes", config }).error?.issues;
    expect(issues).toMatchObject([{ path: ["config", field], message }]);
  });
  test.each(["/etc/kc", "~/.kube/config", "C:\\kube\\config", "\\\\files\\kube\\config"])(
    "kubernetes: %s is a whole path",
    (kubeconfigPath) => {
      expect(CONNECTION_CONFIGS.kubernetes.safeParse({ namespace: "shop-2", kubeconfigPath }).success).toBe(true);
    },
  );

  const takesField = (name: string) => CONNECTION_CONFIGS.custom.safeParse({ fields: { [name]: "x" } }).success;
  const accepted =
    "tokenUrl TOKEN_URL secretName credentialId passwordPolicy passphrase_file API_KEY_HEADER TOKENS_PER_MINUTE secretary BYPASS compass maxTokens NUM_TOKENS publicKey AWS_ACCESS_KEY_ID KUBECONFIG";
  test.each(accepted.split(" "))("custom: a field %s is accepted, because its last word names no secret", (name) => {
    expect(takesField(name)).toBe(true);
  });
  const secret =
    "password DB_PASSWORD dbPassword dbpassword passwd PASSWORDS pass DB_PASS dbPass passphrase keyPassphrase secret CLIENT_SECRET clientSecret secrets TOKEN accessToken tokens credential CREDENTIALS privateKey PRIVATE_KEY apiKey api_keys APIKEY SECRET_KEY AWS_SECRET_ACCESS_KEY secretAccessKey TOKEN_2 password1";
  test.each(secret.split(" "))("custom: a field %s is refused, because its last word names a secret", (name) => {
    expect(takesField(name)).toBe(false);
  });

  test("a SQLite database needs no host", () => {
    expect(CONNECTION_CONFIGS.database.safeParse({ database: "/var/lib/app.db", driver: "sqlite" }).success).toBe(true);
  });

  test("fields have the documented defaults", () => {
    const ssh = { host: "web-1.example.com", username: "deploy", authMethod: "privateKey" };
    expect(CONNECTION_CONFIGS.ssh.parse(ssh).port).toBe(22);
    const http = { baseUrl: "https://api.example.com/v1", authType: "bearer" };
    expect(CONNECTION_CONFIGS.http.parse(http)).toMatchObject({
      apiKeyHeader: "X-API-Key",
      timeoutSeconds: 30,
      verifySsl: true,
    });
    const database = { host: "db.example.com", database: "shop", driver: "postgres" };
    expect(CONNECTION_CONFIGS.database.parse(database).tls).toBe("verify");
    expect(CONNECTION_CONFIGS.kubernetes.parse({}).namespace).toBe("default");
  });
});

describe("needsCredential", () => {
  const cases: [ConnectionType, Record<string, unknown>, boolean | null][] = [
    ["ssh", SSH, true],
    ["http", HTTP, true],
    ["http", { ...HTTP, authType: "none" }, false],
    ["database", DATABASE, true],
    ["database", { database: "/tmp/a.db", driver: "sqlite" }, false],
    ["teamchat", TEAMCHAT, false],
    ["teamchat", {}, true],
    ["winrm", examples.winrm, true],
    ["chat", examples.chat, true],
    ["ticketing", TICKETING, true],
    ["script", {}, false],
    ["osService", {}, false],
    ["notification", {}, false],
    ["ssh", { old: true }, null],
  ];
  for (const [type, config, expected] of cases) {
    test(`${type} with ${JSON.stringify(config)}: ${expected}`, () => {
      expect(needsCredential({ type, config })).toBe(expected);
    });
  }
});
