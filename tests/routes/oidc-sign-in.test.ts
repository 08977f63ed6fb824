import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JWTPayload } from "jose";
import { z } from "zod";
import { startOidc } from "../../schema/contract/api/auth.ts";
import { meSchema, signInMethodsSchema } from "../../schema/contract/people.ts";
import { operationErrors } from "../../worker/http/openapi/operation-errors.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { dataOf, errorPathsOf, problemOf } from "../support/management-api.ts";
import { CLIENT_ID, CLIENT_SECRET, startOidcIssuer } from "../support/oidc-issuer.ts";
import type { OidcIssuer } from "../support/oidc-issuer.ts";
import { AUTH, createUser, openBrowser } from "../support/people.ts";
import type { Browser } from "../support/people.ts";
import { query } from "../support/database.ts";

let issuer: OidcIssuer;
let bellhop: Service;
beforeAll(async () => {
  issuer = await startOidcIssuer();
  bellhop = await startApp({
    bindings: {
      OIDC_ISSUER: issuer.url,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      OIDC_DEFAULT_ROLE: "operator",
    },
  });
});
afterAll(async () => {
  await bellhop.stop();
  await issuer.stop();
});

const START = `${AUTH}/oidc/start`;
const PERSON = { sub: "account-1", email: "person@example.com", name: "A Person" };

/** Begins a sign-in and returns the address to which the browser is redirected. */
async function begin(browser: Browser, returnTo = "/workflows?tab=1"): Promise<string> {
  const response = await browser.call("GET", `${START}?returnTo=${encodeURIComponent(returnTo)}`);
  expect(response.status).toBe(302);
  return response.headers.get("Location") ?? "";
}

/** A whole sign-in: the issuer consents, with these claims in its ID token. */
async function signIn(browser: Browser, claims: JWTPayload = PERSON, changeBack = (back: URL) => back) {
  const back = changeBack(new URL(issuer.authorize(await begin(browser), claims)));
  return browser.call("GET", back.href);
}

describe("signing in with the issuer", () => {
  test("redirects the browser with state, nonce and a PKCE challenge", async () => {
    const location = new URL(await begin(openBrowser(bellhop)));
    expect(location.origin + location.pathname).toBe(`${issuer.url}/authorize`);
    const { state, nonce, code_challenge, ...asked } = Object.fromEntries(location.searchParams);
    expect(asked).toEqual({
      response_type: "code",
      client_id: CLIENT_ID,
      redirect_uri: `${bellhop.url}${AUTH}/oidc/callback`,
      scope: "openid email profile",
      code_challenge_method: "S256",
    });
    for (const value of [state, nonce, code_challenge]) expect(value).toMatch(/^[\w-]{43}$/u);
  });

  test("creates a session and returns to where the person was going", async () => {
    const browser = openBrowser(bellhop);
    const response = await signIn(browser);
    expect(response.status).toBe(302);
    expect(response.headers.get("Location")).toBe("/workflows?tab=1");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect([...browser.cookies.keys()]).toEqual(["bellhop_session"]);
    const me = await dataOf(await browser.call("GET", `${AUTH}/me`), 200, meSchema);
    expect(me).toMatchObject({ kind: "session", user: { email: "person@example.com", role: "operator" } });
    const [entry] = await query(bellhop, "select * from audit_log where verb = 'login'");
    expect(entry).toMatchObject({ actor: "user:person@example.com" });
    expect(JSON.parse(String(entry?.["detail"]))).toEqual({ method: "oidc", address: "192.0.2.1" });
  });

  test("is offered if it is configured", async () => {
    const methods = await dataOf(await openBrowser(bellhop).call("GET", `${AUTH}/methods`), 200, signInMethodsSchema);
    // A person has signed in, but there is no administrator yet.
    expect(methods).toEqual({ password: true, oidc: true, needsSetup: true });
    const plain = await startApp();
    try {
      const browser = openBrowser(plain);
      const none = await dataOf(await browser.call("GET", `${AUTH}/methods`), 200, signInMethodsSchema);
      expect(none).toEqual({ password: true, oidc: false, needsSetup: true });
      for (const path of [START, `${AUTH}/oidc/callback?code=x&state=y`]) {
        expect((await problemOf(await browser.call("GET", path), 404, "not_found")).detail).toContain("OIDC_ISSUER");
      }
    } finally {
      await plain.stop();
    }
  });

  test("is the only way to sign in for a user without a password", async () => {
    await createUser(bellhop);
    const user = await createUser(bellhop, { role: "editor", password: null });
    const browser = openBrowser(bellhop);
    expect((await signIn(browser, { sub: "account-2", email: user.email })).status).toBe(302);
    const me = await dataOf(await browser.call("GET", `${AUTH}/me`), 200, meSchema);
    expect(me.user).toMatchObject({ id: user.id, role: "editor", hasPassword: false, hasOidcAccount: true });
  });
});

test.each(["https://evil.example/", "//evil.example", "/\\evil.example", "/\t/evil.example", "evil", ""])(
  "signing in refuses to return to %j",
  async (returnTo) => {
    const response = await openBrowser(bellhop).call("GET", `${START}?returnTo=${encodeURIComponent(returnTo)}`);
    expect(await errorPathsOf(response)).toEqual(["returnTo"]);
  },
);

describe("an OIDC callback is refused and signs no one in", () => {
  async function refused(browser: Browser, response: Response, reason: string): Promise<void> {
    expect((await problemOf(response, 401, "unauthorized")).detail).toContain(reason);
    expect(browser.cookies.has("bellhop_session")).toBe(false);
  }

  test("in a browser that did not begin the sign-in", async () => {
    const back = issuer.authorize(await begin(openBrowser(bellhop)), PERSON);
    const victim = openBrowser(bellhop);
    await refused(victim, await victim.call("GET", back), "not begun in this browser");
    await begin(victim);
    await refused(victim, await victim.call("GET", back), "not begun in this browser");
  });

  test("when it is repeated, even with the cookie of the first time", async () => {
    const browser = openBrowser(bellhop);
    const back = issuer.authorize(await begin(browser), PERSON);
    const flow = browser.cookies.get("bellhop_oidc") ?? "";
    expect((await browser.call("GET", back)).status).toBe(302);
    const again = openBrowser(bellhop);
    await refused(again, await again.call("GET", back), "not begun in this browser");
    again.cookies.set("bellhop_oidc", flow);
    await refused(again, await again.call("GET", back), "did not accept");
  });

  test("when its cookie was altered, or signed for something else", async () => {
    const browser = openBrowser(bellhop);
    const back = issuer.authorize(await begin(browser), PERSON);
    const flow = browser.cookies.get("bellhop_oidc") ?? "";
    const [body = "", signature = ""] = flow.split(".");
    const claims = z.looseObject({}).parse(JSON.parse(Buffer.from(body, "base64url").toString()));
    const altered = Buffer.from(JSON.stringify({ ...claims, returnTo: "//evil.example" })).toString("base64url");
    for (const forged of [`${altered}.${signature}`, body, "x.y", `${flow}x`]) {
      browser.cookies.set("bellhop_oidc", forged);
      await refused(browser, await browser.call("GET", back), "not begun in this browser");
    }
  });

  test.each<[string, JWTPayload, string]>([
    ["without a nonce", { ...PERSON, nonce: undefined }, "another sign-in"],
    ["with the nonce of another sign-in", { ...PERSON, nonce: "another" }, "another sign-in"],
    ["for another audience", { ...PERSON, aud: "another-client" }, "another audience"],
    ["for another party", { ...PERSON, aud: [CLIENT_ID, "other"], azp: "other" }, "another client"],
    ["of another issuer", { ...PERSON, iss: "https://issuer.example.com" }, "another issuer"],
    ["that has expired", { ...PERSON, exp: 1 }, "expired"],
  ])("when the ID token is %s", async (_name, claims, reason) => {
    const browser = openBrowser(bellhop);
    await refused(browser, await signIn(browser, claims), reason);
  });

  test.each<[string, (back: URL) => void, string]>([
    ["another state", (back) => back.searchParams.set("state", "x"), "not begun in this browser"],
    ["no state", (back) => back.searchParams.delete("state"), "not begun in this browser"],
    ["another issuer's name", (back) => back.searchParams.set("iss", "https://evil.example"), "Another issuer"],
    ["the issuer's refusal", (back) => back.searchParams.set("error", "access_denied"), "access_denied"],
    ["no code", (back) => back.searchParams.delete("code"), "no code"],
    ["a made-up code", (back) => back.searchParams.set("code", "x"), "did not accept"],
  ])("with %s", async (_name, change, reason) => {
    const browser = openBrowser(bellhop);
    const response = await signIn(browser, PERSON, (back) => {
      change(back);
      return back;
    });
    await refused(browser, response, reason);
  });

  test("for a person who is disabled", async () => {
    const user = await createUser(bellhop, { role: "viewer" });
    await bellhop.api("PATCH", `/api/v1/automation/users/${user.id}`, { enabled: false });
    const browser = openBrowser(bellhop);
    await problemOf(await signIn(browser, { sub: "account-3", email: user.email }), 403, "forbidden");
    expect(browser.cookies.has("bellhop_session")).toBe(false);
  });
});

describe("a browser that asks for a page", () => {
  const asPage = { Accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8" };

  test.each<[string, (back: URL) => void, JWTPayload, string]>([
    ["the issuer's refusal", (back) => back.searchParams.set("error", "access_denied"), PERSON, "refused"],
    ["the issuer's own text", (back) => back.searchParams.set("error", "<b>https://x"), PERSON, "refused"],
    ["a made-up code", (back) => back.searchParams.set("code", "x"), PERSON, "bad-answer"],
    ["another sign-in's state", (back) => back.searchParams.set("state", "x"), PERSON, "not-begun"],
    ["no email", () => {}, { sub: "account-8", email: undefined }, "no-email"],
    ["an unverified email", () => {}, { ...PERSON, sub: "account-9", email_verified: false }, "unverified-email"],
  ])("returns to where the person was going, with a reason for %s", async (_name, change, claims, reason) => {
    const browser = openBrowser(bellhop);
    const back = new URL(issuer.authorize(await begin(browser, "/workflows?tab=1#top"), claims));
    change(back);
    const response = await browser.call("GET", back.href, undefined, asPage);
    expect(response.status).toBe(302);
    expect(response.headers.get("Location")).toBe(`/workflows?tab=1&signIn=${reason}#top`);
    expect(browser.cookies.has("bellhop_session")).toBe(false);
  });

  test("returns to this deployment only when sign-in is not configured", async () => {
    const plain = await startApp();
    try {
      const browser = openBrowser(plain);
      for (const [returnTo, location] of [
        ["/agents", "/agents?signIn=not-set-up"],
        ["//evil.example", "/?signIn=not-set-up"],
      ]) {
        const response = await browser.call("GET", `${START}?returnTo=${returnTo}`, undefined, asPage);
        expect(response.headers.get("Location")).toBe(location ?? "");
      }
      const response = await browser.call("GET", `${AUTH}/oidc/callback?code=x&state=y`, undefined, asPage);
      expect(response.headers.get("Location")).toBe("/?signIn=not-set-up");
    } finally {
      await plain.stop();
    }
  });
});

test("over plain http OIDC sign-in begins on this machine only, as the description says", async () => {
  const response = await fetch(`${bellhop.url}${START}`, { headers: { Host: "bellhop.example.com" } });
  await problemOf(response, 403, "forbidden");
  expect(operationErrors(startOidc)).toContain("forbidden");
});

test("/readyz names invalid OIDC settings", async () => {
  const broken = await startApp({
    bindings: {
      OIDC_ISSUER: "http://issuer.example.com",
      OIDC_DEFAULT_ROLE: "owner",
      TRUSTED_CLIENT_IP_HEADER: "X Real IP",
    },
  });
  try {
    const response = await fetch(`${broken.url}/readyz`);
    expect(response.status).toBe(503);
    const text = await response.text();
    for (const setting of ["OIDC_ISSUER must be", "OIDC_CLIENT_ID", "OIDC_DEFAULT_ROLE", "TRUSTED_CLIENT_IP_HEADER"])
      expect(text).toContain(setting);
  } finally {
    await broken.stop();
  }
});
