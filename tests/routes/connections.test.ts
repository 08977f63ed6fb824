import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isDeepStrictEqual } from "node:util";
import { CONNECTION_TYPES, descriptorOf, needsCredential } from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import { connectionSchema } from "../../schema/contract/management.ts";
import type { ConnectionView } from "../../schema/contract/management.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import {
  call,
  createAgent,
  createConnection,
  dataOf,
  errorPathsOf,
  pageOf,
  problemOf,
} from "../support/management-api.ts";
import { query } from "../support/database.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const get = async (id: string): Promise<ConnectionView> =>
  dataOf(await call(bellhop, "GET", `/connections/${id}`), 200, connectionSchema);
const patch = (id: string, body: object) => call(bellhop, "PATCH", `/connections/${id}`, body);

/** Configurations, and the fields that the service fills in. */
const DEFAULTS: [ConnectionType, config: object, filledIn: object][] = [
  ["ssh", { host: "web-1.lan", username: "ops", authMethod: "password" }, { port: 22 }],
  [
    "http",
    { baseUrl: "https://api.lan/v1", authType: "bearer" },
    { apiKeyHeader: "X-API-Key", timeoutSeconds: 30, verifySsl: true },
  ],
  ["kubernetes", { context: "prod" }, { namespace: "default" }],
  ["teamchat", {}, {}],
  ["database", { host: "db.lan", database: "shop", driver: "postgres" }, { tls: "verify" }],
  ["custom", { fields: { tokenUrl: "https://id.lan", login: { secretName: "db" } } }, {}],
];

describe("connections", () => {
  test.each(CONNECTION_TYPES)(
    "a %s connection is stored with every field, and no response shows its secret fields",
    async (type) => {
      const { config } = descriptorOf(type).example;
      const made = await createConnection(bellhop, { name: `a ${type}`, type, config, poolId: "all" });
      expect(made).toMatchObject({
        name: `a ${type}`,
        type,
        agentId: null,
        poolId: "all",
        enabled: true,
        credentialStatus: needsCredential({ type, config }) ? "pending" : null,
      });
      for (const [name, value] of Object.entries(config)) {
        const isShown = descriptorOf(type).config.fields[name]?.isSecret !== true;
        expect([name, isDeepStrictEqual(made.config[name], value)]).toEqual([name, isShown]);
      }
      expect(await get(made.id)).toEqual(made);
    },
  );

  test.each(DEFAULTS)("a %s connection with %j is stored with the defaults %j", async (type, config, filledIn) => {
    const made = await createConnection(bellhop, { type, config });
    expect(made.config).toEqual({ ...config, ...filledIn });
  });

  test("the problems of the record, the configuration and the agent come in one response", async () => {
    const body = {
      name: "",
      type: "ssh",
      colour: "red",
      agentId: "agt_none",
      config: { host: "two words", port: 70_000, authMethod: "smoke", password: "hunter2", passphrase: "x", jump: "y" },
    };
    const response = await call(bellhop, "POST", "/connections", body);
    const problem = await problemOf(response, 400, "invalid_request");
    const messages = new Map((problem.errors ?? []).map((error) => [error.path, error.message]));
    expect([...messages.keys()].sort()).toEqual([
      "agentId",
      "colour",
      "config.authMethod",
      "config.host",
      "config.jump",
      "config.passphrase",
      "config.password",
      "config.port",
      "config.username",
      "name",
    ]);
    expect(messages.get("config.password")).toContain("deliver it as the connection's credential");
    expect(messages.get("config.passphrase")).toContain("deliver it as the connection's credential");
    expect(messages.get("config.jump")).toBe(
      "is not a field here: use one of host, targets, port, username, authMethod, hostKeyFingerprint, hostKeys",
    );
    expect(messages.get("config.username")).toBe("is required");
  });

  test.each<[string, object, string[]]>([
    ["no type", { config: { host: "x" } }, ["name", "type"]],
    ["an unknown type", { name: "x", type: "telnet" }, ["type"]],
    ["a configuration that is not an object", { name: "x", type: "ssh", config: "host" }, ["config"]],
    ["a missing configuration", { name: "x", type: "chat" }, ["config.defaultChannel"]],
    [
      "both an agent and a pool",
      { name: "x", type: "script", agentId: "agt_none", poolId: "p" },
      ["agentId", "poolId"],
    ],
    [
      "a login in a URL",
      { name: "x", type: "http", config: { baseUrl: "https://u:p@h/", authType: "none" } },
      ["config.baseUrl"],
    ],
    [
      "a database without a host",
      { name: "x", type: "database", config: { database: "d", driver: "mysql" } },
      ["config.host"],
    ],
    [
      "secrets among a custom connection's fields, at any depth",
      { name: "x", type: "custom", config: { fields: { apiToken: "x", "a b": 1, db: { password: "x", host: "h" } } } },
      ["config.fields.a b", "config.fields.apiToken", "config.fields.db.password"],
    ],
  ])("%s is refused", async (_what, body, paths) => {
    expect(await errorPathsOf(await call(bellhop, "POST", "/connections", body))).toEqual(paths);
  });

  test("a refused configuration leaves nothing behind", async () => {
    const canary = `canary-${crypto.randomUUID()}`;
    const config = { host: "h", username: "u", authMethod: "password", password: canary };
    const response = await call(bellhop, "POST", "/connections", { name: "x", type: "ssh", config });
    expect(await response.text()).not.toContain(canary);
    const rows = [await query(bellhop, "select * from connections"), await query(bellhop, "select * from audit_log")];
    expect(JSON.stringify(rows)).not.toContain(canary);
  });

  test("a change replaces the whole configuration and no other field; the type never changes", async () => {
    const made = await createConnection(bellhop, {
      type: "kubernetes",
      config: { context: "a", kubeconfigPath: "/k" },
    });
    const changed = await dataOf(await patch(made.id, { config: { namespace: "ops" } }), 200, connectionSchema);
    expect(changed).toMatchObject({ name: made.name, type: "kubernetes", config: { namespace: "ops" } });
    expect(Object.keys(changed.config)).toEqual(["namespace"]);
    const problem = await problemOf(
      await patch(made.id, { type: "ssh", config: { namespace: "", token: "t" }, agentId: "agt_none", x: 1 }),
      400,
      "invalid_request",
    );
    const messages = new Map((problem.errors ?? []).map((error) => [error.path, error.message]));
    expect([...messages.keys()].sort()).toEqual(["agentId", "config.namespace", "config.token", "type", "x"]);
    expect(messages.get("type")).toContain("cannot be changed");
    expect(await get(made.id)).toEqual(changed);
  });

  test("a connection is given to an agent or to a pool, never to both", async () => {
    const { agent } = await createAgent(bellhop);
    const made = await createConnection(bellhop, { poolId: "first" });
    const give = async (body: object) => {
      const { agentId, poolId } = await dataOf(await patch(made.id, body), 200, connectionSchema);
      return { agentId, poolId };
    };
    expect(await give({ agentId: agent.id })).toEqual({ agentId: agent.id, poolId: null });
    expect(await give({ name: "still there" })).toEqual({ agentId: agent.id, poolId: null });
    expect(await give({ poolId: "second" })).toEqual({ agentId: null, poolId: "second" });
    expect(await give({ poolId: null })).toEqual({ agentId: null, poolId: null });
    expect(await errorPathsOf(await patch(made.id, { agentId: agent.id, poolId: "p" }))).toEqual(["poolId"]);
  });

  test("enabling and disabling can be repeated, and only changes are logged", async () => {
    const made = await createConnection(bellhop);
    for (const [verb, enabled] of [
      ["disable", false],
      ["disable", false],
      ["enable", true],
    ] as const) {
      const answer = await call(bellhop, "POST", `/connections/${made.id}/${verb}`);
      expect(await dataOf(answer, 200, connectionSchema)).toMatchObject({ enabled });
    }
    const log = await query(bellhop, "select verb from audit_log where subject_id = ? order by id", [made.id]);
    expect(log.map((row) => row["verb"])).toEqual(["create", "disable", "enable"]);
  });

  test("concurrent changes are all kept: each write builds on the one before", async () => {
    const made = await createConnection(bellhop);
    const answers = await Promise.all([
      patch(made.id, { name: "renamed concurrently" }),
      patch(made.id, { poolId: "moved-concurrently" }),
      call(bellhop, "POST", `/connections/${made.id}/disable`),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect(await get(made.id)).toMatchObject({
      name: "renamed concurrently",
      poolId: "moved-concurrently",
      enabled: false,
    });
    const [row] = await query(bellhop, "select revision from connections where id = ?", [made.id]);
    expect(row?.["revision"]).toBe(4);
  });

  test("the list of connections is paged", async () => {
    const made: string[] = [];
    for (let i = 0; i < 3; i += 1) made.unshift((await createConnection(bellhop)).id);
    const first = await pageOf(await call(bellhop, "GET", "/connections?limit=2"), connectionSchema);
    expect(first.items.map((connection) => connection.id)).toEqual(made.slice(0, 2));
    const rest = await pageOf(
      await call(bellhop, "GET", `/connections?limit=1&cursor=${first.nextCursor}`),
      connectionSchema,
    );
    expect(rest.items.map((connection) => connection.id)).toEqual(made.slice(2));
  });

  test("every operation on an unknown connection is 404", async () => {
    const verbs: [string, string, object?][] = [
      ["GET", ""],
      ["PATCH", "", { name: "x" }],
      ["DELETE", ""],
      ["POST", "/enable"],
      ["POST", "/disable"],
    ];
    for (const [method, suffix, body] of verbs) {
      const problem = await problemOf(
        await call(bellhop, method, `/connections/con_none${suffix}`, body),
        404,
        "not_found",
      );
      expect(problem.detail).toContain("connection con_none");
    }
  });
});
