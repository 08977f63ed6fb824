import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import {
  CONNECTION_CONFIGS,
  CONNECTION_TYPES,
  connectionTargetSchema,
  type ConnectionType,
  takesCredential,
} from "../../schema/contract/connection.ts";
import { coversTarget, type CredentialTarget, targetOf } from "../../schema/contract/credential-target.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { CREDENTIAL_PEERS, type CredentialPeer, hasPeer, type PeerType } from "../support/credential-peers.ts";
import { recordConnections, useOf } from "../support/record-connections.ts";
import { runAction, temporaryState } from "../support/executor-context.ts";
import { type SilentPeer, startSilentPeer } from "../support/silent-peer.ts";

/**
 * Every field of every connection type: either a credential is bound to it, or a change of it sends the credential nowhere
 * else. A new field fails here until it has a row.
 */
type Row =
  /** With this configuration, each other value of the field makes another target, which agents refuse. */
  | { given: JsonObject; bound: readonly (JsonValue | undefined)[] }
  /** The change makes no other target: with a real peer, the credential still goes where it went. */
  | { harmless: string; change: (value: JsonValue | undefined) => JsonValue };

let rogue: SilentPeer;
beforeEach(() => {
  rogue = startSilentPeer();
});
afterEach(() => rogue.stop());

const SSH = { host: "db.example", port: 22, username: "ops", authMethod: "privateKey" };
const PIN = `SHA256:${"A".repeat(43)}`;
const OTHER_PIN = `SHA256:${"B".repeat(43)}`;
const HTTP = { baseUrl: "https://api.example/v1", authType: "bearer" };
const DATABASES = ["postgres", "mysql", "sqlserver"].map((driver) => ({
  driver,
  host: "db.example",
  database: "shop",
}));
const SQLITE = { driver: "sqlite", host: "db.example", database: "/var/lib/shop.db" };
const WINRM = { host: "win.example", port: 5_986, useSsl: true, authMethod: "ntlm" };
const EMAIL = { smtpHost: "mail.example", smtpPort: 587, useTls: true, fromAddress: "ops@shop.example" };
const TICKETING = { serverUrl: "https://shop.atlassian.net", email: "ops@shop.example" };

const bound = (given: JsonObject, ...values: (JsonValue | undefined)[]): Row => ({ given, bound: values });
const harmless = (change: string, to: (value: JsonValue | undefined) => JsonValue): Row => ({
  harmless: change,
  change: to,
});
const ofDatabases = (...values: JsonValue[]): Row[] => DATABASES.map((given) => bound(given, ...values));
const inBrackets = harmless("brackets", (value) => `[${String(value)}]`);

const ROWS: Readonly<Record<ConnectionType, Readonly<Record<string, readonly Row[]>>>> = {
  ssh: {
    host: [bound(SSH, "other.example", "db.example."), inBrackets],
    port: [bound(SSH, 2_222)],
    username: [bound(SSH, "root")],
    authMethod: [bound(SSH, "password")],
    hostKeyFingerprint: [bound(SSH, PIN), bound({ ...SSH, hostKeyFingerprint: PIN }, undefined, OTHER_PIN)],
  },
  http: {
    baseUrl: [
      bound(
        HTTP,
        "https://evil.example/v1",
        "http://api.example/v1",
        "https://api.example:8443/v1",
        "https://api.example",
        "https://api.example/v1/x",
        "https://api.example/V1",
        "https://api.example/v1?key=1",
      ),
      harmless("slashes at its end", (value) => `${String(value)}//`),
      harmless("another spelling", (value) =>
        String(value).replace("http://", "HTTP://").replace("/api", "/x/../api#part"),
      ),
    ],
    authType: [bound(HTTP, "none", "basic", "apiKey")],
    apiKeyHeader: [
      bound({ ...HTTP, authType: "apiKey" }, "X-Other"),
      harmless("a header that is not used", () => "X-Other"),
    ],
    timeoutSeconds: [harmless("a longer time", () => 31)],
    verifySsl: [bound(HTTP, false)],
  },
  kubernetes: {
    context: [bound({}, "test"), bound({ context: "test" }, undefined, "other")],
    namespace: [harmless("another namespace", () => "elsewhere")],
    kubeconfigPath: [bound({}, "/etc/kubeconfig"), bound({ kubeconfigPath: "/etc/kubeconfig" }, undefined, "/tmp/x")],
  },
  chat: { defaultChannel: [harmless("another channel", () => "C0ELSEWHERE")] },
  ticketing: {
    serverUrl: [
      bound(TICKETING, "https://evil.example", "https://evil.atlassian.net", "http://shop.atlassian.net"),
      harmless("a slash and a fragment", (value) => `${String(value)}/#part`),
    ],
    email: [bound(TICKETING, "admin@shop.example")],
  },
  email: {
    smtpHost: [bound(EMAIL, "evil.example"), inBrackets],
    smtpPort: [bound(EMAIL, 25)],
    useTls: [bound(EMAIL, false)],
    fromAddress: [harmless("another sender", () => "ops@evil.example")],
  },
  teamchat: {
    webhookUrl: [harmless("an address beside the one in the vault", () => `http://127.0.0.1:${rogue.port}/webhook`)],
  },
  database: {
    host: [...ofDatabases("evil.example"), inBrackets],
    port: [...ofDatabases(1)],
    database: [...ofDatabases("other"), bound(SQLITE, "/var/lib/other.db")],
    driver: [...DATABASES, SQLITE].map((given) =>
      bound(given, ...["postgres", "mysql", "sqlserver", "sqlite"].filter((driver) => driver !== given.driver)),
    ),
    tls: ofDatabases("require", "off"),
  },
  winrm: {
    host: [bound(WINRM, "evil.example"), inBrackets],
    port: [bound(WINRM, 5_985)],
    useSsl: [bound(WINRM, false)],
    authMethod: [bound(WINRM, "basic", "kerberos")],
  },
  custom: {
    fields: [bound({ fields: { host: "db.example" } }, { host: "evil.example" }, { host: "db.example", more: 1 }, {})],
  },
  script: {},
  osService: {},
  notification: {},
};

describe.each([...CONNECTION_TYPES])("a credential of a connection of type %s", (type) => {
  const fields = Object.keys(CONNECTION_CONFIGS[type].shape);

  test("has a row here for every field, and for nothing else", () => {
    expect(Object.keys(ROWS[type]).toSorted()).toEqual(fields.toSorted());
  });

  test("has a target exactly if the type takes a credential", () => {
    const [first] = Object.values(ROWS[type]).flat();
    if (takesCredential(type)) expect(first).toBeDefined();
    else expect(targetWith(type, {})).toEqual([]);
  });

  for (const field of fields) {
    for (const row of ROWS[type][field] ?? []) {
      if ("bound" in row) {
        test.each(row.bound.map((value) => [JSON.stringify(value), value]))(
          `is not used when ${field} becomes %s in ${JSON.stringify(row.given)}`,
          (_, value) => {
            const [before, after] = [targetWith(type, row.given), targetWith(type, changed(row.given, field, value))];
            expect(coversTarget(before, after)).toBe(false);
          },
        );
        continue;
      }
      if (!hasPeer(type)) throw new Error(`${type} has no peer in CREDENTIAL_PEERS`);
      const { missing } = CREDENTIAL_PEERS[type];
      test.skipIf(missing !== null)(
        `goes where it went when ${field} gets ${row.harmless}`,
        () => staysWithItsPeer(type, field, row.change),
        60_000,
      );
    }
  }
});

test("a SQLite file uses no credential: its connection opens nothing, whatever host and port say", async () => {
  const state = await temporaryState();
  const file = join(state.path, "shop.db");
  new Database(file, { create: true }).run("CREATE TABLE orders (id)");
  const config = { driver: "sqlite", database: file, host: rogue.host, port: rogue.port, tls: "off" };
  const job = { config, secrets: { username: "ops", password: "canary-4711" }, params: { query: "SELECT 1" } };
  const opened = recordConnections();
  expect(await runAction("database", "database.executeQuery", job)).toMatchObject({ status: "succeeded" });
  expect(opened()).toEqual([]);
  expect(rogue.connections).toBe(0);
  await state.remove();
});

async function staysWithItsPeer(
  type: PeerType,
  field: string,
  change: (value: JsonValue | undefined) => JsonValue,
): Promise<void> {
  const peer: CredentialPeer = await CREDENTIAL_PEERS[type].start();
  try {
    const { config } = peer.job;
    const other = { ...config, [field]: change(config[field]) };
    expect(coversTarget(targetWith(type, config), targetWith(type, other))).toBe(true);
    const before = await useOf(type, peer, {});
    expect(before).toMatchObject({ arrived: true });
    expect(await useOf(type, peer, { config: other })).toEqual(before);
    expect(rogue.connections).toBe(0);
  } finally {
    await peer.stop();
  }
}

function changed(config: JsonObject, field: string, value: JsonValue | undefined): JsonObject {
  const { [field]: _, ...others } = config;
  return value === undefined ? others : { ...others, [field]: value };
}

function targetWith(type: ConnectionType, config: JsonObject): CredentialTarget {
  return targetOf(connectionTargetSchema.parse({ type, config }));
}
