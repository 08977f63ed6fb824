import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CONNECTION_TYPES } from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import { connectionSchema } from "../../schema/contract/management.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { createAgent, createConnection, dataOf, problemOf } from "../support/management-api.ts";
import { createToken, createUser, signedIn, withBearer } from "../support/people.ts";

/** Connections that run code, and a token that may edit connections, with and without `code:write`. */
const BASE = "/api/v1/automation/connections";
const CONFIGS: Record<ConnectionType, object> = {
  ssh: { host: "a.example", username: "deploy", authMethod: "password" },
  winrm: { host: "a.example", port: 5_986, useSsl: true, authMethod: "ntlm" },
  database: { host: "a.example", database: "db", driver: "postgres" },
  http: { baseUrl: "https://a.example", authType: "none" },
  kubernetes: { context: "a" },
  script: {},
  custom: { fields: { region: "a" } },
  chat: { defaultChannel: "C00000000" },
  ticketing: { serverUrl: "https://a.example", email: "a@example.com" },
  email: { smtpHost: "a.example", smtpPort: 587, useTls: true, fromAddress: "a@example.com" },
  teamchat: {},
  osService: {},
  notification: {},
};
const RUNS_CODE: readonly ConnectionType[] = ["ssh", "winrm", "database", "http", "kubernetes", "script", "custom"];
const OTHERS = CONNECTION_TYPES.filter((type) => !RUNS_CODE.includes(type));

let bellhop: Bellhop;
let author: string;
let other: string;
let agentId: string;
beforeAll(async () => {
  bellhop = await startBellhop();
  await createUser(bellhop);
  const editor = await signedIn(bellhop, await createUser(bellhop, { role: "editor" }));
  author = (await createToken(editor, { permissions: ["connections:write", "code:write"] })).secret;
  other = (await createToken(editor, { permissions: ["connections:write"] })).secret;
  agentId = (await createAgent(bellhop)).agent.id;
});
afterAll(() => bellhop.stop());

const create = (token: string, type: ConnectionType) =>
  withBearer(bellhop, token, "POST", BASE, { name: "c", type, config: CONFIGS[type] });
const patch = (token: string, id: string, body: object) => withBearer(bellhop, token, "PATCH", `${BASE}/${id}`, body);

describe("a new connection", () => {
  test.each(RUNS_CODE)("of type %s needs code:write", async (type) => {
    const { detail, errors } = await problemOf(await create(other, type), 403, "forbidden");
    expect(detail).toContain("code:write");
    expect(errors?.map(({ path }) => path)).toEqual(["type"]);
    await dataOf(await create(author, type), 201, connectionSchema);
  });

  test.each(OTHERS)("of type %s does not", async (type) => {
    await dataOf(await create(other, type), 201, connectionSchema);
  });
});

describe("a connection that is led", () => {
  const ssh = (more: object = {}) => ({ type: "ssh", config: CONFIGS.ssh, poolId: "p", ...more });
  const cases: [string, object, () => object, string[]][] = [
    ["another host", ssh(), () => ({ config: { ...CONFIGS.ssh, host: "b.example" } }), ["config"]],
    ["another pool", ssh(), () => ({ poolId: "q" }), ["poolId"]],
    ["no pool", ssh(), () => ({ poolId: null }), ["poolId"]],
    ["an agent", ssh({ poolId: undefined }), () => ({ agentId }), ["agentId"]],
    ["another name and host", ssh(), () => ({ name: "n", config: { ...CONFIGS.ssh, host: "b.example" } }), ["config"]],
    [
      "other fields of its own",
      { type: "custom", config: CONFIGS.custom },
      () => ({ config: { fields: { region: "b" } } }),
      ["config"],
    ],
  ];

  test.each(cases)("to where its code runs is refused without code:write: %s", async (_where, made, body, paths) => {
    const { id, revision } = await createConnection(bellhop, made);
    const { errors } = await problemOf(await patch(other, id, body()), 403, "forbidden");
    expect(errors?.map(({ path }) => path)).toEqual(paths);
    const changed = await dataOf(await patch(author, id, body()), 200, connectionSchema);
    expect(changed.revision).toBe(revision + 1);
  });

  test("nowhere else needs no code:write: its name, and what is sent as it was", async () => {
    const { id, config } = await createConnection(bellhop, ssh());
    const renamed = await dataOf(await patch(other, id, { name: "n", config, poolId: "p" }), 200, connectionSchema);
    expect(renamed).toMatchObject({ name: "n", config });
    await dataOf(await withBearer(bellhop, other, "POST", `${BASE}/${id}/disable`), 200, connectionSchema);
    await dataOf(await withBearer(bellhop, other, "POST", `${BASE}/${id}/enable`), 200, connectionSchema);
  });

  test("by another server, of a type that runs no code, needs none", async () => {
    const { id } = await createConnection(bellhop, { type: "email", config: CONFIGS.email });
    const config = { ...CONFIGS.email, smtpHost: "b.example" };
    await dataOf(await patch(other, id, { config, poolId: "q" }), 200, connectionSchema);
  });
});
