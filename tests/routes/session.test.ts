import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { meSchema, userSchema } from "../../schema/contract/people.ts";
import type { UserView } from "../../schema/contract/people.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { dataOf, errorPathsOf, problemOf } from "../support/management-api.ts";
import { AUTH, PASSWORD, createToken, createUser, logIn, openBrowser, signedIn } from "../support/people.ts";
import { query } from "../support/database.ts";

let bellhop: Bellhop;
let user: UserView;
beforeAll(async () => {
  bellhop = await startBellhop();
  user = await createUser(bellhop);
});
afterAll(() => bellhop.stop());

const ME = `${AUTH}/me`;

describe("a session", () => {
  test("shows who is signed in, as what, and until when", async () => {
    const me = await dataOf(await (await signedIn(bellhop, user)).call("GET", ME), 200, meSchema);
    expect(me).toMatchObject({ kind: "session", actor: `user:${user.email}`, user: { id: user.id, role: "admin" } });
    expect(Date.parse(me.expiresAt ?? "")).toBeGreaterThan(Date.now());
  });

  test("ends when it expires, and its row is deleted", async () => {
    const browser = await signedIn(bellhop, user);
    await query(bellhop, "update sessions set expires_at = ?", [Date.now()]);
    await problemOf(await browser.call("GET", ME), 401, "unauthorized");
    await bellhop.worker.tick();
    expect(await query(bellhop, "select * from sessions")).toEqual([]);
  });

  test("is refused while its user is disabled, although its row exists", async () => {
    const person = await createUser(bellhop, { role: "viewer" });
    const browser = await signedIn(bellhop, person);
    await query(bellhop, "update users set enabled = 0 where id = ?", [person.id]);
    await problemOf(await browser.call("GET", ME), 401, "unauthorized");
  });

  test("is refused when its cookie was invented, altered, or is another deployment's", async () => {
    const browser = await signedIn(bellhop, user);
    const cookie = browser.cookies.get("bellhop_session") ?? "";
    const [id = "", signature = ""] = cookie.split(".");
    for (const forged of [
      "x",
      id,
      `${id}.`,
      `${id}.${"A".repeat(43)}`,
      `${"A".repeat(43)}.${signature}`,
      `${cookie}x`,
    ]) {
      const Cookie = `bellhop_session=${forged}`;
      await problemOf(await fetch(`${bellhop.url}${ME}`, { headers: { Cookie } }), 401, "unauthorized");
    }
    expect((await browser.call("GET", ME)).status).toBe(200);
  });

  test("ends with a sign-out, also for a copy of its cookie", async () => {
    const browser = await signedIn(bellhop, user);
    const copy = openBrowser(bellhop);
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    const response = await browser.call("POST", `${AUTH}/logout`);
    await dataOf(response, 200, z.object({ signedOut: z.literal(true) }));
    expect(browser.cookies.has("bellhop_session")).toBe(false);
    await problemOf(await copy.call("GET", ME), 401, "unauthorized");
  });

  test("cannot be signed out of with a bearer token", async () => {
    const { secret } = await createToken(await signedIn(bellhop, user), { permissions: ["automation:read"] });
    const response = await fetch(`${bellhop.url}${AUTH}/logout`, {
      method: "POST",
      headers: { Authorization: `Bearer ${secret}` },
    });
    await problemOf(response, 409, "conflict");
  });

  test("is ignored next to a bearer token", async () => {
    const browser = await signedIn(bellhop, user);
    const Authorization = "Bearer wrong";
    await problemOf(await browser.call("GET", ME, undefined, { Authorization }), 401, "unauthorized");
    const asBootstrap = { Authorization: `Bearer ${bellhop.adminToken}`, Origin: "https://elsewhere.example" };
    const me = await dataOf(await browser.call("GET", ME, undefined, asBootstrap), 200, meSchema);
    expect(me).toEqual({ ...me, kind: "bootstrap", actor: "bootstrap", user: null, expiresAt: null });
    // Another Authorization scheme belongs to a proxy.
    expect((await browser.call("GET", ME, undefined, { Authorization: "Basic dTpw" })).status).toBe(200);
  });
});

describe("a change with a session cookie", () => {
  const body = { name: "t", permissions: ["automation:read"] };

  test.each([null, "null", "https://evil.example", "http://127.0.0.1", "http://127.0.0.1.evil.example"])(
    "with the Origin %p is refused, and says what to do",
    async (Origin) => {
      const browser = await signedIn(bellhop, user);
      const response = await browser.call("POST", `${AUTH}/tokens`, body, { Origin });
      expect((await problemOf(response, 403, "forbidden")).detail).toContain(`Origin: ${bellhop.url}`);
      await problemOf(await browser.call("POST", `${AUTH}/logout`, undefined, { Origin }), 403, "forbidden");
      expect((await browser.call("GET", ME, undefined, { Origin })).status).toBe(200);
    },
  );

  test("is allowed from a page of this deployment", async () => {
    const browser = await signedIn(bellhop, user);
    expect((await browser.call("POST", `${AUTH}/tokens`, body)).status).toBe(201);
  });
});

describe("a person's own password", () => {
  const change = (currentPassword: string, newPassword: string) => ({ currentPassword, newPassword });

  test("is changed by a person who knows it; other sessions end, this one stays", async () => {
    const person = await createUser(bellhop, { role: "viewer" });
    const [here, there] = [await signedIn(bellhop, person), await signedIn(bellhop, person)];
    const response = await here.call("POST", `${AUTH}/password`, change(PASSWORD, "a new password"));
    expect(await dataOf(response, 200, userSchema)).toMatchObject({ id: person.id });
    expect((await here.call("GET", ME)).status).toBe(200);
    expect((await there.call("GET", ME)).status).toBe(401);
    expect((await logIn(there, person.email)).status).toBe(401);
    expect((await logIn(there, person.email, "a new password")).status).toBe(200);
  });

  test("stays when the given one is wrong, and guessing it is limited", async () => {
    const person = await createUser(bellhop, { role: "viewer" });
    const browser = await signedIn(bellhop, person);
    for (let i = 0; i < 5; i += 1) {
      const response = await browser.call("POST", `${AUTH}/password`, change("a wrong password", "a new password"));
      expect(await errorPathsOf(response)).toEqual(["currentPassword"]);
    }
    const response = await browser.call("POST", `${AUTH}/password`, change(PASSWORD, "a new password"));
    await problemOf(response, 429, "rate_limit_exceeded");
    const rows = await query(bellhop, "select * from audit_log where verb = 'login-failed' and subject_id = ?", [
      person.id,
    ]);
    expect(rows).toHaveLength(5);
    expect(rows[0]).toMatchObject({ actor: `user:${person.email}` });
    expect(rows[0]?.["detail"]).toContain("wrong current password");
  });

  test("is limited to a small body, as at sign-in", async () => {
    const browser = await signedIn(bellhop, user);
    for (const path of ["login", "password"]) {
      const response = await browser.call("POST", `${AUTH}/${path}`, {
        email: user.email,
        padding: "x".repeat(16_384),
      });
      await problemOf(response, 413, "payload_too_large");
    }
  });

  test("must be long enough, and a caller without a user gets 409", async () => {
    const browser = await signedIn(bellhop, user);
    const short = await browser.call("POST", `${AUTH}/password`, change(PASSWORD, "short"));
    expect(await errorPathsOf(short)).toEqual(["newPassword"]);
    const withoutUser = await bellhop.api("POST", `${AUTH}/password`, change(PASSWORD, "a new password"));
    await problemOf(withoutUser, 409, "conflict");
  });
});

describe("behind https", () => {
  let secure: Bellhop;
  let person: UserView;
  const origin = "https://bellhop.example.com";
  beforeAll(async () => {
    secure = await startBellhop({ bindings: { PUBLIC_URL: `${origin}/` } });
    person = await createUser(secure);
  });
  afterAll(() => secure.stop());

  test("cookies are Secure and bound to this host, and the allowed Origin is the public address", async () => {
    const browser = openBrowser(secure);
    const credentials = { email: person.email, password: PASSWORD };
    const response = await browser.call("POST", `${AUTH}/login`, credentials, { Origin: origin });
    for (const line of response.headers.getSetCookie()) {
      expect(line).toMatch(/^__Host-bellhop_(session|device)=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/u);
    }
    expect((await browser.call("GET", ME)).status).toBe(200);
    expect((await browser.call("POST", `${AUTH}/logout`, undefined, { Origin: origin })).status).toBe(200);
  });

  test("a cookie without the prefix, which another host could have set, is ignored", async () => {
    const browser = await signedIn(secure, person);
    const Cookie = `bellhop_session=${browser.cookies.get("__Host-bellhop_session")}`;
    await problemOf(await fetch(`${secure.url}${ME}`, { headers: { Cookie } }), 401, "unauthorized");
  });

  test("sign-in without https works on this machine only", async () => {
    const response = await fetch(`${bellhop.url}${AUTH}/login`, {
      method: "POST",
      headers: { Host: "bellhop.example.com", "Content-Type": "application/json" },
      body: JSON.stringify({ email: user.email, password: PASSWORD }),
    });
    expect((await problemOf(response, 403, "forbidden")).detail).toContain("https");
  });
});
