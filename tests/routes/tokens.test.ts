import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { createdTokenSchema, meSchema, tokenSchema } from "../../schema/contract/people.ts";
import type { UserView } from "../../schema/contract/people.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { DELAY_DEFINITION, dataOf, errorPathsOf, pageOf, problemOf } from "../support/management-api.ts";
import { AUTH, createToken, createUser, meStatus, signedIn, withBearer } from "../support/people.ts";
import type { Browser } from "../support/people.ts";
import { testDeps } from "../support/test-deps.ts";
import { query } from "../support/database.ts";
import type { Principal } from "../../worker/services/principal.ts";
import { createToken as mintToken } from "../../worker/services/tokens/create.ts";

let bellhop: Service;
let admin: UserView;
let editor: UserView;
let byAdmin: Browser;
let byEditor: Browser;
beforeAll(async () => {
  bellhop = await startApp();
  admin = await createUser(bellhop);
  editor = await createUser(bellhop, { role: "editor" });
  byAdmin = await signedIn(bellhop, admin);
  byEditor = await signedIn(bellhop, editor);
});
afterAll(() => bellhop.stop());

const TOKENS = `${AUTH}/tokens`;
const later = (ms: number) => new Date(Date.now() + ms).toISOString();

describe("an API token", () => {
  test("is shown once, stored as a digest, and acts for its owner", async () => {
    const expiresAt = later(3_600_000);
    const response = await byEditor.call("POST", TOKENS, { name: "ci", permissions: ["automation:write"], expiresAt });
    const { token, secret } = await dataOf(response, 201, createdTokenSchema);
    expect(token).toEqual({ ...token, name: "ci", userId: editor.id, permissions: ["automation:write"], expiresAt });
    expect(secret).toMatch(/^bht_[0-9A-Za-z]{43}$/u);
    const rows = JSON.stringify(await query(bellhop, "select * from api_tokens"));
    expect(rows + JSON.stringify(await query(bellhop, "select * from audit_log"))).not.toContain(secret.slice(4));
    expect(await (await byEditor.call("GET", TOKENS)).text()).not.toContain(secret.slice(4));
    const me = await dataOf(await withBearer(bellhop, secret, "GET", `${AUTH}/me`), 200, meSchema);
    expect(me).toEqual({
      kind: "token",
      actor: `token:ci (${editor.email})`,
      user: me.user,
      permissions: ["automation:write"],
      expiresAt,
    });
    expect(me.user?.id).toBe(editor.id);
  });

  test("needs no Origin, and the audit log names it", async () => {
    const { secret } = await createToken(byAdmin, { name: "deployer", permissions: ["automation:write"] });
    const workflow = { name: "x", trigger: { type: "manual" }, definition: DELAY_DEFINITION };
    const response = await withBearer(bellhop, secret, "POST", "/api/v1/automation/workflows", workflow);
    expect(response.status).toBe(201);
    const [row] = await query(bellhop, "select actor from audit_log where subject_type = 'workflow'");
    expect(row?.["actor"]).toBe(`token:deployer (${admin.email})`);
  });

  test("has no permission that its maker lacks", async () => {
    const body = { name: "x", permissions: ["automation:read", "agents:write", "admin"] };
    expect(await errorPathsOf(await byEditor.call("POST", TOKENS, body))).toEqual(["permissions.1", "permissions.2"]);
  });

  test.each<[string, object, string[]]>([
    ["nothing", {}, ["name", "permissions"]],
    ["no permission", { name: "x", permissions: [] }, ["permissions"]],
    ["an unknown permission", { name: "x", permissions: ["everything"] }, ["permissions.0"]],
    [
      "an end that has passed",
      { name: "x", permissions: ["automation:read"], expiresAt: later(-1_000) },
      ["expiresAt"],
    ],
    [
      "an end that is not a time",
      { name: "x", permissions: ["automation:read"], expiresAt: "tomorrow" },
      ["expiresAt"],
    ],
    ["an owner", { name: "x", permissions: ["automation:read"], userId: "usr_x" }, ["userId"]],
  ])("with %s is refused", async (_name, body, paths) => {
    expect(await errorPathsOf(await byAdmin.call("POST", TOKENS, body))).toEqual(paths);
  });

  test("is not created if the session ends or the user is disabled during the request", async () => {
    const owner = await createUser(bellhop, { role: "editor" });
    const by: Principal = {
      kind: "oidc",
      userId: owner.id,
      actor: "x",
      role: "editor",
      permissions: new Set(["automation:read"]),
    };
    const make = (principal: Principal) =>
      mintToken(testDeps(bellhop.libsql.url), principal, {
        name: "x",
        permissions: ["automation:read"],
        expiresAt: later(3_600_000),
      });
    expect((await make(by)).token.userId).toBe(owner.id);
    await expect(make({ ...by, kind: "session", credentialId: "ended" })).rejects.toMatchObject({
      code: "unauthorized",
    });
    await query(bellhop, "update users set enabled = 0 where id = ?", [owner.id]);
    await expect(make(by)).rejects.toMatchObject({ code: "unauthorized" });
    expect(await query(bellhop, "select * from api_tokens where user_id = ?", [owner.id])).toHaveLength(1);
  });

  test("cannot create a token", async () => {
    const { secret } = await createToken(byAdmin, { permissions: ["admin", "automation:read"] });
    const response = await withBearer(bellhop, secret, "POST", TOKENS, { name: "x", permissions: ["automation:read"] });
    await problemOf(response, 403, "forbidden");
  });

  test("ends when it expires", async () => {
    const { token, secret } = await createToken(byAdmin, {
      permissions: ["automation:read"],
      expiresAt: later(3_600_000),
    });
    expect(await meStatus(bellhop, secret)).toBe(200);
    await query(bellhop, "update api_tokens set expires_at = ? where id = ?", [Date.now(), token.id]);
    expect(await meStatus(bellhop, secret)).toBe(401);
  });

  test("is refused when it was deleted, altered, or created by another deployment", async () => {
    const { token, secret } = await createToken(byAdmin, { permissions: ["automation:read"] });
    const altered = secret.slice(0, -1) + (secret.endsWith("A") ? "B" : "A");
    for (const guess of [altered, `${secret}x`, "bht_", `bht_${"A".repeat(43)}`]) {
      expect(await meStatus(bellhop, guess)).toBe(401);
    }
    await dataOf(await byAdmin.call("DELETE", `${TOKENS}/${token.id}`), 200, z.object({ id: z.string() }));
    expect(await meStatus(bellhop, secret)).toBe(401);
    await problemOf(await byAdmin.call("DELETE", `${TOKENS}/${token.id}`), 404, "not_found");
  });

  test("shows when it was last used, to the minute", async () => {
    const { token, secret } = await createToken(byAdmin, { permissions: ["automation:read"] });
    const lastUsed = async () => {
      const [row] = await query(bellhop, "select last_used_at from api_tokens where id = ?", [token.id]);
      return row?.["last_used_at"];
    };
    const before = Date.now();
    await meStatus(bellhop, secret);
    const noted = Number(await eventually("the use to be stored", lastUsed));
    expect(noted).toBeGreaterThanOrEqual(before);
    for (let i = 0; i < 5; i += 1) await meStatus(bellhop, secret);
    expect(await lastUsed()).toBe(noted);
    await query(bellhop, "update api_tokens set last_used_at = last_used_at - 60000");
    await meStatus(bellhop, secret);
    await eventually("the use to be stored again", async () => Number(await lastUsed()) >= noted);
  });
});

describe("the list of tokens", () => {
  test("has the person's own tokens, in pages, and everyone's for an administrator only", async () => {
    const mine = [
      await createToken(byEditor, { permissions: ["automation:read"] }),
      await createToken(byEditor, { permissions: ["automation:read"] }),
    ].map(({ token }) => token.id);
    const first = await pageOf(await byEditor.call("GET", `${TOKENS}?limit=1`), tokenSchema);
    const second = await pageOf(
      await byEditor.call("GET", `${TOKENS}?limit=1&cursor=${first.nextCursor}`),
      tokenSchema,
    );
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(mine.toReversed());
    const own = await pageOf(await byEditor.call("GET", TOKENS), tokenSchema);
    expect(new Set(own.items.map(({ userId }) => userId))).toEqual(new Set([editor.id]));
    await problemOf(await byEditor.call("GET", `${TOKENS}?owner=everyone`), 403, "forbidden");
    const all = await pageOf(await byAdmin.call("GET", `${TOKENS}?owner=everyone`), tokenSchema);
    expect(all.items.map(({ id }) => id)).toEqual(expect.arrayContaining(mine));
    expect(await errorPathsOf(await byAdmin.call("GET", `${TOKENS}?owner=ada`))).toEqual(["owner"]);
    const editors = await pageOf(await byAdmin.call("GET", `${TOKENS}?owner=${editor.id}`), tokenSchema);
    expect(new Set(editors.items.map(({ userId }) => userId))).toEqual(new Set([editor.id]));
    expect((await byEditor.call("GET", `${TOKENS}?owner=${editor.id}`)).status).toBe(200);
    await problemOf(await byEditor.call("GET", `${TOKENS}?owner=${admin.id}`), 403, "forbidden");
  });
});

describe("deleting a token", () => {
  test("is allowed to its owner and administrators; others get 404", async () => {
    const other = await signedIn(bellhop, await createUser(bellhop, { role: "editor" }));
    const { token } = await createToken(byEditor, { permissions: ["automation:read"] });
    await problemOf(await other.call("DELETE", `${TOKENS}/${token.id}`), 404, "not_found");
    expect((await byAdmin.call("DELETE", `${TOKENS}/${token.id}`)).status).toBe(200);
  });

  test("with a token is allowed for that token only", async () => {
    const one = await createToken(byEditor, { permissions: ["automation:read"] });
    const two = await createToken(byEditor, { permissions: ["automation:read"] });
    const del = (id: string) => withBearer(bellhop, one.secret, "DELETE", `${TOKENS}/${id}`);
    await problemOf(await del(two.token.id), 404, "not_found");
    expect((await del(one.token.id)).status).toBe(200);
    expect(await meStatus(bellhop, one.secret)).toBe(401);
    expect(await meStatus(bellhop, two.secret)).toBe(200);
  });
});

test("the bootstrap token creates ownerless tokens, which outlive it", async () => {
  const response = await bellhop.api("POST", TOKENS, { name: "terraform", permissions: ["connections:write"] });
  const { token, secret } = await dataOf(response, 201, createdTokenSchema);
  expect(token.userId).toBeNull();
  const me = await dataOf(await withBearer(bellhop, secret, "GET", `${AUTH}/me`), 200, meSchema);
  expect(me).toMatchObject({ actor: "token:terraform", user: null, permissions: ["connections:write"] });
});
