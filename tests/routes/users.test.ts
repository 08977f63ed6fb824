import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { meSchema, signInMethodsSchema, userSchema } from "../../schema/contract/people.ts";
import type { UserView } from "../../schema/contract/people.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { call, dataOf, errorPathsOf, pageOf, problemOf } from "../support/management-api.ts";
import { AUTH, PASSWORD, createToken, createUser, logIn, meStatus, openBrowser, signedIn } from "../support/people.ts";
import { query } from "../support/database.ts";

let bellhop: Service;
let root: UserView;
beforeAll(async () => {
  bellhop = await startApp();
});
afterAll(() => bellhop.stop());

const needsSetup = async (of: Service) =>
  (await dataOf(await fetch(`${of.url}${AUTH}/methods`), 200, signInMethodsSchema)).needsSetup;
const change = (id: string, body: object) => call(bellhop, "PATCH", `/users/${id}`, body);

describe("a fresh deployment", () => {
  test("is opened with the bootstrap token, by a user who is an administrator", async () => {
    const first = { email: "Root@Example.com", name: " Root ", role: "admin", password: PASSWORD };
    const response = await call(bellhop, "POST", "/users", { ...first, role: "viewer" });
    expect(await errorPathsOf(response)).toEqual(["role"]);
    expect(await needsSetup(bellhop)).toBe(true);
    root = await dataOf(await call(bellhop, "POST", "/users", first), 201, userSchema);
    expect(root).toMatchObject({ email: "root@example.com", name: "Root", role: "admin", enabled: true });
    expect(root).toMatchObject({ hasPassword: true, hasOidcAccount: false, lastLoginAt: null });
    expect(await needsSetup(bellhop)).toBe(false);
  });

  test("has no bootstrap token if none is set, and an empty one gives no access", async () => {
    const closed = await startApp({ bindings: { BOOTSTRAP_ADMIN_TOKEN: "" } });
    try {
      await problemOf(await call(closed, "GET", "/users"), 401, "unauthorized");
      const empty = await fetch(`${closed.url}/api/v1/automation/users`, { headers: { Authorization: "Bearer " } });
      await problemOf(empty, 401, "unauthorized");
      // No one could set it up, so no one is asked to, and the database is not read.
      await closed.stopLibsql();
      expect(await needsSetup(closed)).toBe(false);
    } finally {
      await closed.stop();
    }
  });
});

describe("creating a user", () => {
  test.each([
    ["nothing", {}, ["email", "name", "password", "role"]],
    ["a short password", { password: "elevenchars" }, ["password"]],
    ["a password that is too long to be one", { password: "x".repeat(1_025) }, ["password"]],
    ["no email address", { email: "ada" }, ["email"]],
    ["an unknown role", { role: "owner" }, ["role"]],
    ["an unknown field", { isAdmin: true }, ["isAdmin"]],
    ["no way to sign in", { password: undefined }, ["password"]],
  ])("with %s is refused", async (name, changes, paths) => {
    const usual = { email: "x@example.com", name: "X", role: "viewer", password: PASSWORD };
    const body = name === "nothing" ? {} : { ...usual, ...changes };
    const expected = name === "nothing" ? ["email", "name", "role"] : paths;
    expect(await errorPathsOf(await call(bellhop, "POST", "/users", body))).toEqual(expected);
  });

  test("twice with one email is a conflict, in any spelling", async () => {
    const response = await call(bellhop, "POST", "/users", {
      email: "ROOT@example.com",
      name: "X",
      role: "viewer",
      password: PASSWORD,
    });
    expect((await problemOf(response, 409, "conflict")).detail).toContain("root@example.com");
  });

  test("stores the password as a hash, and shows neither", async () => {
    const user = await createUser(bellhop, { password: "a password of its user" });
    const [row] = await query(bellhop, "select password_hash from users where id = ?", [user.id]);
    expect(row?.["password_hash"]).toMatch(/^\$2[aby]\$12\$/u);
    const shown = await (await call(bellhop, "GET", "/users")).text();
    expect(shown).not.toMatch(/\$2[aby]\$|passwordHash|a password of its user/u);
    const tables = await query(bellhop, "select detail from audit_log");
    expect(JSON.stringify(tables)).not.toMatch(/\$2[aby]\$|a password of its user/u);
  });
});

test("users are listed newest first, in pages", async () => {
  const made = [await createUser(bellhop, { role: "viewer" }), await createUser(bellhop, { role: "viewer" })];
  const first = await pageOf(await call(bellhop, "GET", "/users?limit=1"), userSchema);
  const second = await pageOf(await call(bellhop, "GET", `/users?limit=1&cursor=${first.nextCursor}`), userSchema);
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(made.map(({ id }) => id).toReversed());
});

describe("changing a user", () => {
  test("changes the fields of the body, and says so in the audit log", async () => {
    const user = await createUser(bellhop, { role: "viewer" });
    const changed = await dataOf(await change(user.id, { name: "Renamed", role: "editor" }), 200, userSchema);
    expect(changed).toEqual({ ...user, name: "Renamed", role: "editor" });
    const [entry] = await query(bellhop, "select * from audit_log where subject_id = ? order by id desc", [user.id]);
    expect(entry).toMatchObject({ actor: "bootstrap", verb: "update", subject_type: "user" });
    expect(JSON.parse(String(entry?.["detail"]))).toEqual({
      email: user.email,
      name: "Renamed",
      role: "editor",
      roleBefore: "viewer",
    });
  });

  test("refuses an empty change and an unknown user", async () => {
    const user = await createUser(bellhop, { role: "viewer" });
    expect(await errorPathsOf(await change(user.id, { email: "new@example.com" }))).toEqual(["email"]);
    expect(await errorPathsOf(await change(user.id, { role: "owner", password: "short" }))).toEqual([
      "password",
      "role",
    ]);
    await problemOf(await change("usr_nobody", { name: "X" }), 404, "not_found");
    await problemOf(await call(bellhop, "DELETE", "/users/usr_nobody"), 404, "not_found");
  });

  test("applies a new role with the user's next request, for sessions and tokens", async () => {
    const user = await createUser(bellhop, { role: "editor" });
    const browser = await signedIn(bellhop, user);
    const { secret } = await createToken(browser, { permissions: ["automation:read", "automation:write"] });
    await change(user.id, { role: "viewer" });
    const headers = { Authorization: `Bearer ${secret}` };
    for (const response of [
      await browser.call("GET", `${AUTH}/me`),
      await fetch(`${bellhop.url}${AUTH}/me`, { headers }),
    ]) {
      expect((await dataOf(response, 200, meSchema)).permissions).toEqual(["automation:read"]);
    }
  });

  test.each(["disabled", "deleted"])("a user who is %s is refused with the next request", async (how) => {
    const user = await createUser(bellhop, { role: "editor" });
    const browser = await signedIn(bellhop, user);
    const { secret } = await createToken(browser, { permissions: ["automation:read"] });
    expect(await meStatus(bellhop, secret)).toBe(200);
    const response =
      how === "disabled"
        ? await change(user.id, { enabled: false })
        : await call(bellhop, "DELETE", `/users/${user.id}`);
    expect(response.status).toBe(200);
    expect(await meStatus(bellhop, secret)).toBe(401);
    await problemOf(await browser.call("GET", `${AUTH}/me`), 401, "unauthorized");
    await problemOf(await logIn(openBrowser(bellhop), user.email), 401, "unauthorized");
    // Enabling the account brings neither back.
    for (const table of ["sessions", "api_tokens"]) {
      expect(await query(bellhop, `select * from ${table} where user_id = ?`, [user.id])).toEqual([]);
    }
    await change(user.id, { enabled: true });
    expect(await meStatus(bellhop, secret)).toBe(401);
  });

  test("a new password ends the user's sessions, and the old one is refused", async () => {
    const user = await createUser(bellhop, { role: "viewer" });
    const browser = await signedIn(bellhop, user);
    await change(user.id, { password: "another password" });
    await problemOf(await browser.call("GET", `${AUTH}/me`), 401, "unauthorized");
    await problemOf(await logIn(browser, user.email), 401, "unauthorized");
    expect((await logIn(browser, user.email, "another password")).status).toBe(200);
  });

  test("a password cannot be removed if it is the only way to sign in", async () => {
    const user = await createUser(bellhop, { role: "viewer" });
    expect(await errorPathsOf(await change(user.id, { password: null }))).toEqual(["password"]);
    expect((await logIn(openBrowser(bellhop), user.email)).status).toBe(200);
  });

  test("a name must not contain characters that change how a line of the audit log reads", async () => {
    const user = await createUser(bellhop, { role: "viewer" });
    for (const name of ["two\nlines", "turned \u202e round", "a\u2028b", "a\u0000b"]) {
      expect(await errorPathsOf(await change(user.id, { name }))).toEqual(["name"]);
    }
    expect((await change(user.id, { name: "Zoë O'Connor 👩‍💻 علی" })).status).toBe(200);
  });
});

test("with OIDC a password can be removed, and a user without one can still administer", async () => {
  const oidc = await startApp({ bindings: { OIDC_ISSUER: "https://issuer.example", OIDC_CLIENT_ID: "bellhop" } });
  try {
    const [user, other] = [await createUser(oidc), await createUser(oidc)];
    const path = `/users/${user.id}`;
    const changed = await dataOf(await call(oidc, "PATCH", path, { password: null }), 200, userSchema);
    expect(changed).toMatchObject({ hasPassword: false });
    await problemOf(await logIn(openBrowser(oidc), user.email), 401, "unauthorized");
    expect((await call(oidc, "DELETE", `/users/${other.id}`)).status).toBe(200);
    await problemOf(await call(oidc, "PATCH", path, { enabled: false }), 409, "conflict");
  } finally {
    await oidc.stop();
  }
});

describe("the last enabled administrator", () => {
  beforeAll(async () => {
    await query(bellhop, "update users set role = 'viewer' where id <> ?", [root.id]);
  });

  test("cannot be demoted, disabled or deleted", async () => {
    for (const body of [{ role: "editor" }, { enabled: false }, { name: "X", role: "viewer" }]) {
      expect((await problemOf(await change(root.id, body), 409, "conflict")).detail).toContain("last enabled");
    }
    await problemOf(await call(bellhop, "DELETE", `/users/${root.id}`), 409, "conflict");
    await createUser(bellhop, { role: "admin" }).then(({ id }) => change(id, { enabled: false }));
    await problemOf(await call(bellhop, "DELETE", `/users/${root.id}`), 409, "conflict");
    const [row] = await query(bellhop, "select role, enabled, name from users where id = ?", [root.id]);
    expect(row).toMatchObject({ role: "admin", enabled: 1, name: "Root" });
  });

  test("can be edited in every other field", async () => {
    for (const body of [{ name: "Root of all" }, { password: PASSWORD }, { role: "admin", enabled: true }]) {
      expect((await change(root.id, body)).status).toBe(200);
    }
    expect((await change(root.id, { name: "Root" })).status).toBe(200);
  });

  test("is the last one who can sign in: an administrator without a password does not count", async () => {
    const other = await createUser(bellhop);
    await query(bellhop, "update users set password_hash = null where id = ?", [other.id]);
    await problemOf(await change(root.id, { enabled: false }), 409, "conflict");
    await problemOf(await call(bellhop, "DELETE", `/users/${root.id}`), 409, "conflict");
    expect((await change(other.id, { password: PASSWORD })).status).toBe(200);
    expect((await change(root.id, { role: "viewer" })).status).toBe(200);
    await change(root.id, { role: "admin" });
    await change(other.id, { role: "viewer" });
  });

  test("remains when several administrators are removed at the same moment", async () => {
    const others = await Promise.all([createUser(bellhop), createUser(bellhop), createUser(bellhop)]);
    const admins = [root, ...others];
    const answers = await Promise.all(admins.map(({ id }) => change(id, { role: "viewer" })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409]);
    const rows = await query(bellhop, "select id from users where role = 'admin' and enabled = 1");
    expect(rows).toHaveLength(1);
    await query(bellhop, "update users set role = 'admin' where id = ?", [root.id]);
  });

  test("people cannot delete or disable themselves", async () => {
    const admin = await createUser(bellhop);
    const browser = await signedIn(bellhop, admin);
    const path = `/api/v1/automation/users/${admin.id}`;
    await problemOf(await browser.call("DELETE", path), 409, "conflict");
    await problemOf(await browser.call("PATCH", path, { enabled: false }), 409, "conflict");
    const { secret } = await createToken(browser, { permissions: ["admin"] });
    const byToken = await fetch(`${bellhop.url}${path}`, {
      method: "DELETE",
      headers: { Authorization: `Bearer ${secret}` },
    });
    await problemOf(byToken, 409, "conflict");
  });
});
