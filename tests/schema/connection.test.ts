import { describe, expect, test } from "bun:test";
import {
  CONNECTION_CONFIGS,
  CONNECTION_TYPES,
  connectionTargetSchema,
  needsCredential,
} from "../../schema/contract/connection.ts";
import type { ConnectionTarget, ConnectionType } from "../../schema/contract/connection.ts";

const VALID: Record<ConnectionType, Record<string, unknown>> = {
  ssh: { host: "web-1.example.com", username: "deploy", authMethod: "privateKey" },
  http: { baseUrl: "https://api.example.com/v1", authType: "bearer" },
  kubernetes: { context: "prod", kubeconfigPath: "/etc/kube/config" },
  chat: { defaultChannel: "C0123ABCD" },
  ticketing: { serverUrl: "https://tickets.example.com", email: "ops@example.com" },
  email: { smtpHost: "mail.example.com", smtpPort: 587, useTls: true, fromAddress: "ops@example.com" },
  teamchat: { webhookUrl: "https://chat.example.com/hooks/abc" },
  database: { host: "db.example.com", port: 5432, database: "shop", driver: "postgres" },
  winrm: { host: "win-1.example.com", port: 5986, useSsl: true, authMethod: "ntlm" },
  script: {},
  osService: {},
  notification: {},
  custom: { fields: { region: "eu-1", retries: 3 } },
};

describe("connection types", () => {
  for (const type of CONNECTION_TYPES) {
    test(`${type}: its fields are accepted`, () => {
      expect(connectionTargetSchema.safeParse({ type, config: VALID[type] }).error).toBeUndefined();
    });
    for (const key of ["password", "privateKey", "token", "apiKey", "anything"]) {
      test(`${type}: a config with the key ${key} is refused`, () => {
        expect(CONNECTION_CONFIGS[type].safeParse({ ...VALID[type], [key]: "x" }).success).toBe(false);
      });
    }
  }

  const refused: [string, ConnectionType, Record<string, unknown>][] = [
    ["a port above 65535", "ssh", { ...VALID.ssh, port: 65_536 }],
    ["a port of 0", "ssh", { ...VALID.ssh, port: 0 }],
    ["an unknown auth method", "ssh", { ...VALID.ssh, authMethod: "agent" }],
    ["a host with a space", "ssh", { ...VALID.ssh, host: "web 1" }],
    ["a base URL that is no http address", "http", { ...VALID.http, baseUrl: "file:///etc/passwd" }],
    ["a base URL with user and password", "http", { ...VALID.http, baseUrl: "https://me:secret@api.example.com" }],
    ["a base URL with a user alone", "http", { ...VALID.http, baseUrl: "https://token@api.example.com" }],
    ["a channel's name in place of its id", "chat", { defaultChannel: "#incidents" }],
    ["an address that is no e-mail", "ticketing", { ...VALID.ticketing, email: "ops" }],
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

  const takesField = (name: string) => CONNECTION_CONFIGS.custom.safeParse({ fields: { [name]: "x" } }).success;
  const accepted =
    "tokenUrl TOKEN_URL secretName credentialId passwordPolicy passphrase_file API_KEY_HEADER TOKENS_PER_MINUTE secretary BYPASS compass maxTokens NUM_TOKENS publicKey AWS_ACCESS_KEY_ID KUBECONFIG";
  test.each(accepted.split(" "))("custom: a field %s is accepted: its last word is none for a secret", (name) => {
    expect(takesField(name)).toBe(true);
  });
  const secret =
    "password DB_PASSWORD dbPassword dbpassword passwd PASSWORDS pass DB_PASS dbPass passphrase keyPassphrase secret CLIENT_SECRET clientSecret secrets TOKEN accessToken tokens credential CREDENTIALS privateKey PRIVATE_KEY apiKey api_keys APIKEY SECRET_KEY AWS_SECRET_ACCESS_KEY secretAccessKey TOKEN_2 password1";
  test.each(secret.split(" "))("custom: a field %s is refused: its last word is one for a secret", (name) => {
    expect(takesField(name)).toBe(false);
  });

  test("a SQLite database needs no host", () => {
    expect(CONNECTION_CONFIGS.database.safeParse({ database: "/var/lib/app.db", driver: "sqlite" }).success).toBe(true);
  });

  test("defaults are those of the design", () => {
    expect(CONNECTION_CONFIGS.ssh.parse(VALID.ssh).port).toBe(22);
    expect(CONNECTION_CONFIGS.http.parse(VALID.http)).toMatchObject({
      apiKeyHeader: "X-API-Key",
      timeoutSeconds: 30,
      verifySsl: true,
    });
    expect(CONNECTION_CONFIGS.database.parse(VALID.database).tls).toBe("verify");
    expect(CONNECTION_CONFIGS.kubernetes.parse({}).namespace).toBe("default");
  });
});

describe("needsCredential", () => {
  const needs = (target: unknown): boolean => {
    const parsed: ConnectionTarget = connectionTargetSchema.parse(target);
    return needsCredential(parsed);
  };
  const cases: [ConnectionType, Record<string, unknown>, boolean][] = [
    ["ssh", VALID.ssh, true],
    ["http", VALID.http, true],
    ["http", { ...VALID.http, authType: "none" }, false],
    ["database", VALID.database, true],
    ["database", { database: "/tmp/a.db", driver: "sqlite" }, false],
    ["teamchat", VALID.teamchat, false],
    ["teamchat", {}, true],
    ["winrm", VALID.winrm, true],
    ["chat", VALID.chat, true],
    ["ticketing", VALID.ticketing, true],
    ["script", {}, false],
    ["osService", {}, false],
    ["notification", {}, false],
  ];
  for (const [type, config, expected] of cases) {
    test(`${type} with ${JSON.stringify(config)}: ${expected}`, () => {
      expect(needs({ type, config })).toBe(expected);
    });
  }
});
