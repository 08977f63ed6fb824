import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { UserView } from "../../schema/contract/people.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { call, errorPathsOf } from "../support/management-api.ts";
import { AUTH, PASSWORD, createToken, createUser, meStatus, signedIn } from "../support/people.ts";
import { query } from "../support/database.ts";

let bellhop: Service;
beforeAll(async () => {
  bellhop = await startApp();
  await createUser(bellhop);
});
afterAll(() => bellhop.stop());

const change = (id: string, body: object) => call(bellhop, "PATCH", `/users/${id}`, body);

/** A user with a token. */
async function withToken(): Promise<{ user: UserView; secret: string }> {
  const user = await createUser(bellhop, { role: "editor" });
  const { secret } = await createToken(await signedIn(bellhop, user), { permissions: ["automation:read"] });
  return { user, secret };
}

describe("an administrator's change of a user", () => {
  test("a token that is kept while its user is disabled is refused, and works when the user is enabled", async () => {
    const { user, secret } = await withToken();
    await change(user.id, { enabled: false, keepTokens: true });
    expect(await meStatus(bellhop, secret)).toBe(401);
    await change(user.id, { enabled: true });
    expect(await meStatus(bellhop, secret)).toBe(200);
  });

  test("disabling again ends the tokens that were kept", async () => {
    const { user, secret } = await withToken();
    await change(user.id, { enabled: false, keepTokens: true });
    await change(user.id, { enabled: false });
    await change(user.id, { enabled: true });
    expect(await meStatus(bellhop, secret)).toBe(401);
  });

  test.each([
    [{ password: "another password" }, 401, { password: "changed", tokensEnded: 1 }],
    [{ password: "another password", keepTokens: true }, 200, { password: "changed", tokensKept: 1 }],
    [{ name: "Renamed", role: "viewer" }, 200, { name: "Renamed" }],
  ])("%j: the user's token gets %d, and the audit log says how many ended", async (body, status, detail) => {
    const { user, secret } = await withToken();
    const other = await withToken();
    expect((await change(user.id, body)).status).toBe(200);
    expect(await meStatus(bellhop, secret)).toBe(status);
    expect(await meStatus(bellhop, other.secret)).toBe(200);
    const [row] = await query(bellhop, "select detail from audit_log where subject_id = ? order by id desc", [user.id]);
    expect(JSON.parse(String(row?.["detail"]))).toMatchObject(detail);
  });

  test("keepTokens is refused without a change that ends tokens", async () => {
    const { user } = await withToken();
    for (const body of [{ keepTokens: true }, { enabled: true, keepTokens: true }, { name: "X", keepTokens: false }]) {
      expect(await errorPathsOf(await change(user.id, body))).toEqual(["keepTokens"]);
    }
  });
});

describe("a change of a person's own password", () => {
  test.each([false, true])("ends the person's API tokens unless they are kept: keepTokens %p", async (keepTokens) => {
    const person = await createUser(bellhop, { role: "viewer" });
    const browser = await signedIn(bellhop, person);
    const { secret } = await createToken(browser, { permissions: ["automation:read"] });
    const body = { currentPassword: PASSWORD, newPassword: "a new password", ...(keepTokens ? { keepTokens } : {}) };
    expect((await browser.call("POST", `${AUTH}/password`, body)).status).toBe(200);
    expect(await meStatus(bellhop, secret)).toBe(keepTokens ? 200 : 401);
    const rows = await query(bellhop, "select detail from audit_log where subject_id = ? order by id desc", [
      person.id,
    ]);
    expect(JSON.parse(String(rows[0]?.["detail"]))).toMatchObject(keepTokens ? { tokensKept: 1 } : { tokensEnded: 1 });
  });
});
