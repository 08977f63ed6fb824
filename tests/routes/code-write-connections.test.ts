import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CONNECTION_TYPES, descriptorOf } from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import { CONNECTIONS } from "../../schema/contract/connections/index.ts";
import { connectionSchema } from "../../schema/contract/management.ts";
import { pluck } from "../../schema/contract/records.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { createAgent, createConnection, dataOf, problemOf } from "../support/management-api.ts";
import { createToken, createUser, signedIn, withBearer } from "../support/people.ts";

/** Connections that run code, and a token that may edit connections, with and without `code:write`. */
const BASE = "/api/v1/automation/connections";
const { ssh: SSH, custom: CUSTOM, email: EMAIL } = pluck(pluck(CONNECTIONS, "example"), "config");
/** Which types ran code when the permission was introduced: no descriptor may change that by mistake. */
const RUN_CODE = new Set<ConnectionType>(["ssh", "winrm", "database", "http", "kubernetes", "script", "custom"]);
const RUN_NONE = new Set<ConnectionType>(["chat", "ticketing", "email", "teamchat", "osService", "notification"]);
const needsPermission = (type: ConnectionType) =>
  RUN_CODE.has(type) || (!RUN_NONE.has(type) && descriptorOf(type).runsCode);

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
  withBearer(bellhop, token, "POST", BASE, { name: "c", type, config: descriptorOf(type).example.config });
const patch = (token: string, id: string, body: object) => withBearer(bellhop, token, "PATCH", `${BASE}/${id}`, body);

describe("a new connection", () => {
  test.each(CONNECTION_TYPES.filter(needsPermission))("of type %s needs code:write", async (type) => {
    const { detail, errors } = await problemOf(await create(other, type), 403, "forbidden");
    expect(detail).toContain("code:write");
    expect(errors?.map(({ path }) => path)).toEqual(["type"]);
    await dataOf(await create(author, type), 201, connectionSchema);
  });

  test.each(CONNECTION_TYPES.filter((type) => !needsPermission(type)))(
    "of type %s needs no code:write",
    async (type) => {
      await dataOf(await create(other, type), 201, connectionSchema);
    },
  );
});

describe("an edit of a connection", () => {
  const ssh = (more: object = {}) => ({ type: "ssh", config: SSH, poolId: "p", ...more });
  const cases: [string, object, () => object, string[]][] = [
    ["another host", ssh(), () => ({ config: { ...SSH, host: "b.example" } }), ["config"]],
    ["another pool", ssh(), () => ({ poolId: "q" }), ["poolId"]],
    ["no pool", ssh(), () => ({ poolId: null }), ["poolId"]],
    ["an agent", ssh({ poolId: undefined }), () => ({ agentId }), ["agentId"]],
    ["another name and host", ssh(), () => ({ name: "n", config: { ...SSH, host: "b.example" } }), ["config"]],
    [
      "other custom fields",
      { type: "custom", config: CUSTOM },
      () => ({ config: { fields: { region: "b" } } }),
      ["config"],
    ],
  ];

  test.each(cases)(
    "that moves where its code runs is refused without code:write: %s",
    async (_where, made, body, paths) => {
      const { id, revision } = await createConnection(bellhop, made);
      const { errors } = await problemOf(await patch(other, id, body()), 403, "forbidden");
      expect(errors?.map(({ path }) => path)).toEqual(paths);
      const changed = await dataOf(await patch(author, id, body()), 200, connectionSchema);
      expect(changed.revision).toBe(revision + 1);
    },
  );

  test("that only renames it or repeats its fields needs no code:write", async () => {
    const { id, config } = await createConnection(bellhop, ssh());
    const renamed = await dataOf(await patch(other, id, { name: "n", config, poolId: "p" }), 200, connectionSchema);
    expect(renamed).toMatchObject({ name: "n", config });
    await dataOf(await withBearer(bellhop, other, "POST", `${BASE}/${id}/disable`), 200, connectionSchema);
    await dataOf(await withBearer(bellhop, other, "POST", `${BASE}/${id}/enable`), 200, connectionSchema);
  });

  test("that names another server needs no code:write if the type runs no code", async () => {
    const { id } = await createConnection(bellhop, { type: "email", config: EMAIL });
    const config = { ...EMAIL, smtpHost: "b.example" };
    await dataOf(await patch(other, id, { config, poolId: "q" }), 200, connectionSchema);
  });
});
