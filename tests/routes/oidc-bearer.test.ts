import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import type { JWTPayload } from "jose";
import { meSchema } from "../../schema/contract/people.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { call, dataOf, errorPathsOf, problemOf } from "../support/management-api.ts";
import { CLIENT_ID, startOidcIssuer } from "../support/oidc-issuer.ts";
import type { OidcIssuer } from "../support/oidc-issuer.ts";
import { AUTH, createToken, createUser, meStatus, openBrowser, signedIn, withBearer } from "../support/people.ts";
import { query } from "../support/database.ts";
import { answerAs, executeAs, publishAs, saveAs } from "../support/signed-in-people.ts";
import type { Send } from "../support/signed-in-people.ts";

let issuer: OidcIssuer;
let foreign: OidcIssuer;
let bellhop: Bellhop;
beforeAll(async () => {
  [issuer, foreign] = await Promise.all([startOidcIssuer(), startOidcIssuer()]);
  bellhop = await startBellhop({
    bindings: { OIDC_ISSUER: issuer.url, OIDC_CLIENT_ID: CLIENT_ID, OIDC_ROLE_CLAIM: "realm_access.roles" },
  });
});
afterAll(async () => {
  await bellhop.stop();
  await issuer.stop();
  await foreign.stop();
});

const NOW = () => Math.floor(Date.now() / 1_000);
const roles = (...held: string[]) => ({ realm_access: { roles: held } });
const me = (token: string) => withBearer(bellhop, token, "GET", `${AUTH}/me`);

async function refusal(token: string): Promise<string> {
  return (await problemOf(await me(token), 401, "unauthorized")).detail;
}

describe("a bearer token of the issuer", () => {
  const known = { sub: "known", email: "known@example.com", ...roles("editor") };

  test("acts as its person, whose user is created with the claimed role on first use", async () => {
    const answer = await dataOf(await me(await issuer.token({ ...known, name: "Known" })), 200, meSchema);
    expect(answer).toMatchObject({ kind: "oidc", actor: "user:known@example.com", user: { name: "Known" } });
    expect(answer.user).toMatchObject({ role: "editor", hasOidcAccount: true, hasPassword: false });
    expect(answer.permissions).toContain("connections:write");
    expect(answer.permissions).not.toContain("admin");
    const [entry] = await query(bellhop, "select * from audit_log where actor = 'oidc'");
    expect(entry).toMatchObject({ verb: "create", subject_type: "user", subject_id: answer.user?.id });
  });

  test("answers an approval by another person, as its person", async () => {
    const editor: Send = async (method, path, body) =>
      withBearer(bellhop, await issuer.token(known), method, `/api/v1/automation${path}`, body);
    const asks = { nodes: [{ id: "ask", type: "approval", message: "May it?", by: "another" }], edges: [] };
    const bootstrap: Send = (method, path, body) => bellhop.api(method, `/api/v1/automation${path}`, body);
    const id = await publishAs(bootstrap, await saveAs(bootstrap, asks));
    expect((await answerAs(bellhop, editor, await executeAs(editor, id))).status).toBe(403);
    expect((await answerAs(bellhop, editor, await executeAs(bootstrap, id))).status).toBe(200);
  });

  test("is accepted with RSA and elliptic curves, and with one of several audiences", async () => {
    expect((await me(await issuer.ecToken(known))).status).toBe(200);
    expect((await me(await issuer.token(known, { typ: "at+jwt" }))).status).toBe(200);
    expect((await me(await issuer.token({ ...known, aud: ["other", CLIENT_ID] }))).status).toBe(200);
  });

  test("may be a minute off the issuer's clock, and no further", async () => {
    expect((await me(await issuer.token({ ...known, exp: NOW() - 50 }))).status).toBe(200);
    expect((await me(await issuer.token({ ...known, nbf: NOW() + 50 }))).status).toBe(200);
    expect(await refusal(await issuer.token({ ...known, exp: NOW() - 70 }))).toContain("expired");
    expect(await refusal(await issuer.token({ ...known, nbf: NOW() + 120 }))).toContain("not valid yet");
  });

  const refused: [string, string, () => string | Promise<string>][] = [
    ["unsigned", "algorithm", () => issuer.unsignedToken(known)],
    ["signed with the public key as an HMAC secret", "algorithm", () => issuer.hmacToken(known)],
    ["of another issuer, by its name", "another issuer", () => issuer.token({ ...known, iss: foreign.url })],
    ["signed by another issuer under our name", "signature", () => foreign.token({ ...known, iss: issuer.url })],
    ["of another issuer altogether", "signature", () => foreign.token(known)],
    ["for another audience", "another audience", () => issuer.token({ ...known, aud: "another-client" })],
    ["for no audience", "another audience", () => issuer.token({ ...known, aud: undefined })],
    ["without an expiry", "exp", () => issuer.token({ ...known, exp: undefined })],
    ["without a subject", "sub", () => issuer.token({ ...known, sub: undefined })],
    ["of another token type", "type", () => issuer.token(known, { typ: "logout+jwt" })],
    [
      "that brings its own keys",
      "signature",
      () => foreign.token({ ...known, iss: issuer.url }, { kid: "rsa-1", jku: `${foreign.url}/keys` }),
    ],
  ];
  test.each(refused)("is refused: %s", async (_name, reason, make) => {
    expect(await refusal(await make())).toContain(reason);
    expect(foreign.hits.get("/keys")).toBeUndefined();
  });

  test("is refused when any of its parts was altered", async () => {
    const [header = "", payload = "", signature = ""] = (await issuer.token(known)).split(".");
    const claims = decodeJwt(`${header}.${payload}.${signature}`);
    const raised = Buffer.from(JSON.stringify({ ...claims, ...roles("admin") })).toString("base64url");
    expect(await refusal(`${header}.${raised}.${signature}`)).toContain("signature");
    const none = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
    expect(await refusal(`${none}.${payload}.${signature}`)).toContain("algorithm");
    for (const text of [`${header}.${payload}.`, `${header}.${payload}.${signature.slice(4)}`]) await refusal(text);
    for (const text of ["a.b.c", "..", `${header}.${payload}`, `e.${"x".repeat(20_000)}.y`]) {
      expect(await meStatus(bellhop, text)).toBe(401);
    }
  });

  test("says when it expires, and is refused what its role may not do", async () => {
    const exp = NOW() + 100;
    const token = await issuer.token({ sub: "reader", email: "reader@example.com", exp, ...roles("viewer") });
    expect((await dataOf(await me(token), 200, meSchema)).expiresAt).toBe(new Date(exp * 1_000).toISOString());
    await problemOf(await withBearer(bellhop, token, "GET", "/api/v1/automation/users"), 403, "forbidden");
  });
});

describe("a person without access", () => {
  const refused: [string, JWTPayload, string][] = [
    ["without one of our roles", { email: "x@example.com", ...roles("superuser") }, "none of the roles"],
    ["without a claim for roles", { email: "x@example.com" }, "none of the roles"],
    ["without an email", roles("viewer"), "no email"],
    ["whose email is unverified", { email: "x@example.com", email_verified: false, ...roles("viewer") }, "verified"],
    [
      "whose email is not said to be verified",
      { email: "x@example.com", email_verified: undefined, ...roles("viewer") },
      "verified",
    ],
  ];
  test.each(refused)("%s gets 403, and no user is created", async (_name, claims, reason) => {
    const response = await me(await issuer.token({ sub: "stranger", ...claims }));
    expect((await problemOf(response, 403, "forbidden")).detail).toContain(reason);
    expect(await query(bellhop, "select * from users where email = 'x@example.com'")).toEqual([]);
  });

  test("whose user is disabled gets 403 with a valid token", async () => {
    const token = await issuer.token({ sub: "leaver", email: "leaver@example.com", ...roles("editor") });
    const { user } = await dataOf(await me(token), 200, meSchema);
    await createUser(bellhop);
    await call(bellhop, "PATCH", `/users/${user?.id}`, { enabled: false });
    await problemOf(await me(token), 403, "forbidden");
    await call(bellhop, "DELETE", `/users/${user?.id}`);
  });
});

describe("an existing user", () => {
  test("is found by a verified email, linked to the account, and from then on found by the account only", async () => {
    const user = await createUser(bellhop, { role: "viewer" });
    const claims = { sub: "tied", email: user.email.toUpperCase(), ...roles("viewer") };
    const answer = await dataOf(await me(await issuer.token(claims)), 200, meSchema);
    expect(answer.user).toMatchObject({ id: user.id, hasOidcAccount: true, hasPassword: true });
    const moved = await me(await issuer.token({ ...claims, email: "new@example.com", email_verified: false }));
    expect((await dataOf(moved, 200, meSchema)).user?.id).toBe(user.id);
    const other = await me(await issuer.token({ ...claims, sub: "another account" }));
    expect((await problemOf(other, 403, "forbidden")).detail).toContain("another account");
  });

  test("gets the newest role of the issuer's tokens, and no older token restores another", async () => {
    const claims = { sub: "promoted", email: "promoted@example.com" };
    const roleOf = async (iat: number, role: string) =>
      (await dataOf(await me(await issuer.token({ ...claims, iat, ...roles(role) })), 200, meSchema)).user?.role;
    const start = NOW() - 40;
    expect(await roleOf(start, "admin")).toBe("admin");
    expect(await roleOf(start + 10, "viewer")).toBe("viewer");
    expect(await roleOf(start, "admin")).toBe("viewer");
    expect(await roleOf(start + 20, "editor")).toBe("editor");
    await problemOf(await me(await issuer.token({ ...claims, ...roles("none of ours") })), 403, "forbidden");
  });

  test("with a lower role gets fewer permissions for their API tokens, too", async () => {
    const user = await createUser(bellhop, { role: "editor" });
    const { secret } = await createToken(await signedIn(bellhop, user), { permissions: ["automation:write"] });
    const soon = NOW() + 30;
    await me(await issuer.token({ sub: "lowered", email: user.email, iat: soon, ...roles("viewer") }));
    const { permissions } = await dataOf(await withBearer(bellhop, secret, "GET", `${AUTH}/me`), 200, meSchema);
    expect(permissions).toEqual([]);
  });

  test("gets no name with control characters, and an email with them is refused", async () => {
    const claims = { sub: "dressed", email: "dressed@example.com", name: "A\nB \u202e C", ...roles("viewer") };
    expect((await dataOf(await me(await issuer.token(claims)), 200, meSchema)).user?.name).toBe(claims.email);
    const email = "a\u202eb@example.com";
    await problemOf(await me(await issuer.token({ ...claims, sub: "dressed up", email })), 403, "forbidden");
  });

  test("is created once by many simultaneous requests", async () => {
    const token = await issuer.token({ sub: "crowd", email: "crowd@example.com", ...roles("viewer") });
    const answers = await Promise.all(Array.from({ length: 8 }, () => meStatus(bellhop, token)));
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(await query(bellhop, "select id from users where email = 'crowd@example.com'")).toHaveLength(1);
  });
});

describe("the last administrator", () => {
  test("stays an administrator when the issuer claims another role, and the log says so once", async () => {
    const own = await startBellhop({
      bindings: { OIDC_ISSUER: issuer.url, OIDC_CLIENT_ID: CLIENT_ID, OIDC_ROLE_CLAIM: "realm_access.roles" },
    });
    try {
      const admin = await createUser(own);
      const said = async (iat: number) => issuer.token({ sub: "last", email: admin.email, iat, ...roles("viewer") });
      const roleOf = async (token: string) =>
        (await dataOf(await withBearer(own, token, "GET", `${AUTH}/me`), 200, meSchema)).user?.role;
      const token = await said(NOW() - 20);
      expect([await roleOf(token), await roleOf(token)]).toEqual(["admin", "admin"]);
      const kept = "select * from audit_log where actor = 'oidc' and detail like '%roleKept%'";
      expect(await query(own, kept)).toHaveLength(1);
      await createUser(own);
      expect(await roleOf(await said(NOW() - 10))).toBe("viewer");
    } finally {
      await own.stop();
    }
  });
});

describe("an API token that is created with a JWT", () => {
  test("must expire within 90 days, because the JWT itself would expire soon", async () => {
    const jwt = await issuer.token({ sub: "maker", email: "maker@example.com", ...roles("viewer") });
    const make = (expiresAt?: string) =>
      withBearer(bellhop, jwt, "POST", `${AUTH}/tokens`, { name: "ci", permissions: ["automation:read"], expiresAt });
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    expect(await errorPathsOf(await make())).toEqual(["expiresAt"]);
    expect(await errorPathsOf(await make(inDays(91)))).toEqual(["expiresAt"]);
    expect((await make(inDays(90))).status).toBe(201);
  });
});

describe("the issuer's keys", () => {
  const known = { sub: "keys", email: "keys@example.com", ...roles("viewer") };

  test("are fetched again for an unknown key once, and not for every invented key", async () => {
    expect(await meStatus(bellhop, await issuer.token(known))).toBe(200);
    const before = issuer.hits.get("/keys") ?? 0;
    await issuer.rotate();
    expect(await meStatus(bellhop, await issuer.token(known))).toBe(200);
    expect(issuer.hits.get("/keys")).toBe(before + 1);
    for (let i = 0; i < 20; i += 1) {
      expect(await refusal(await foreign.token(known, { kid: `made-up-${i}` }))).toContain("does not have");
    }
    expect(issuer.hits.get("/keys")).toBe(before + 1);
  });

  test("are refused once the issuer has withdrawn them, and an unavailable issuer is a 503, not a 401", async () => {
    const old = await issuer.token(known);
    await issuer.rotate();
    const fresh = await startBellhop({ bindings: { OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: CLIENT_ID } });
    try {
      issuer.fail(true);
      const response = await withBearer(fresh, old, "GET", `${AUTH}/me`);
      expect(response.headers.get("Retry-After")).toMatch(/^\d+$/u);
      await problemOf(response, 503, "unavailable");
      issuer.fail(false);
      expect(await meStatus(fresh, old)).toBe(401);
    } finally {
      issuer.fail(false);
      await fresh.stop();
    }
  });
});

describe("without OIDC_ROLE_CLAIM", () => {
  test("administrators assign roles: claims are ignored, and the default is for new users", async () => {
    const own = await startBellhop({
      bindings: {
        OIDC_ISSUER: issuer.url,
        OIDC_AUDIENCE: "api",
        OIDC_DEFAULT_ROLE: "viewer",
        OIDC_TRUST_EMAIL: "true",
      },
    });
    try {
      const user = await createUser(own, { password: "a long password" });
      const as = async (claims: JWTPayload) => {
        const token = await issuer.token({ aud: "api", email_verified: undefined, roles: ["admin"], ...claims });
        return dataOf(await withBearer(own, token, "GET", `${AUTH}/me`), 200, meSchema);
      };
      expect((await as({ sub: "a", email: user.email })).user?.role).toBe("admin");
      expect((await as({ sub: "b", email: "newcomer@example.com" })).user?.role).toBe("viewer");
      // The setting is for bearer tokens only: no one can sign in with it.
      await problemOf(await openBrowser(own).call("GET", `${AUTH}/oidc/start`), 404, "not_found");
    } finally {
      await own.stop();
    }
  });
});

test("without OIDC_ISSUER a JWT is refused like any unknown token", async () => {
  const plain = await startBellhop();
  try {
    expect(await meStatus(plain, await issuer.token())).toBe(401);
  } finally {
    await plain.stop();
  }
});
