import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { z } from "zod";
import { axeProblems } from "../support/axe.ts";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import { testInFull } from "../support/in-full.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { CLIENT_ID, CLIENT_SECRET, startOidcIssuer } from "../support/oidc-issuer.ts";
import type { OidcIssuer } from "../support/oidc-issuer.ts";
import { AUTH, PASSWORD, createUser } from "../support/people.ts";
import { query } from "../support/database.ts";

const ADA = { email: "ada@example.com", password: "a password of Ada's own" };

describe.skipIf(NO_CHROMIUM !== null)("access to the console", () => {
  let issuer: OidcIssuer;
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    issuer = await startOidcIssuer();
    console = await startConsole({
      bindings: {
        OIDC_ISSUER: issuer.url,
        OIDC_CLIENT_ID: CLIENT_ID,
        OIDC_CLIENT_SECRET: CLIENT_SECRET,
        OIDC_DEFAULT_ROLE: "viewer",
      },
    });
  });
  afterAll(async () => {
    await console.stop();
    await issuer.stop();
  });

  const signIn = async (page: Page, { email, password }: { email: string; password: string }) => {
    await page.getByLabel("Email").fill(email);
    await page.getByRole("textbox", { name: "Password" }).fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
  };
  const isIn = (page: Page) => page.getByRole("button", { name: /^Account of/u }).waitFor();

  test("a new deployment is set up with the bootstrap token, which the browser does not keep", async () => {
    const page = await console.page({ at: "/workflows" });
    await page.getByRole("heading", { name: "Set up Bellhop" }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    const token = page.getByLabel("Bootstrap token");
    const password = page.getByRole("textbox", { name: "Password" });
    await token.fill("a wrong token");
    await page.getByLabel("Your name").fill("Ada");
    await page.getByLabel("Your email").fill(ADA.email);
    await password.fill("eleven char");
    await page.getByText("1 more character.").waitFor();
    await password.fill(ADA.password);
    const make = page.getByRole("button", { name: "Create admin account" });
    await make.click();
    await page.getByText("The bootstrap token is wrong.").waitFor();
    await token.fill(console.bellhop.adminToken);
    await page.getByLabel("Your email").fill("abc");
    await password.fill("short");
    await make.click();
    await page.getByText("Must be an email address.").waitFor();
    await page.getByText("7 more characters.").waitFor();
    await page.getByLabel("Your email").fill(ADA.email);
    await password.fill(ADA.password);
    await make.click();
    await page.getByText("You are the administrator").waitFor();
    await page.getByText("remove the bootstrap token").waitFor();
    await page.getByRole("button", { name: "Go to the overview" }).click();
    await isIn(page);
    expect(new URL(page.url()).pathname).toBe("/");
    const kept = await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])");
    expect(String(kept)).not.toContain(console.bellhop.adminToken);
    const [user] = await query(console.bellhop, "select email, role from users");
    expect(user).toMatchObject({ email: ADA.email, role: "admin" });
    expect(console.complaints()).toEqual([]);
  });

  test("a sign-in shows why it failed, and leads to the requested page", async () => {
    const page = await console.page({ at: "/executions?status=failed" });
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await signIn(page, { email: ADA.email, password: "not the password" });
    await page.getByText("The email or the password is wrong").waitFor();
    await page.context().setOffline(true);
    await signIn(page, ADA);
    await page.getByText("The service does not answer").waitFor();
    await page.context().setOffline(false);
    await signIn(page, ADA);
    await isIn(page);
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/executions?status=failed");
    // A known browser has its own limit of failures, which stays.
    await page.context().clearCookies({ name: "bellhop_session" });
    await page.reload();
    await signIn(page, { email: ADA.email, password: "not the password" });
    await page.getByText("The email or the password is wrong").waitFor();
    await query(console.bellhop, "update login_failures set failures = 5");
    await signIn(page, ADA);
    await page.getByText("Wait 15 minutes and try again.").waitFor();
    await query(console.bellhop, "delete from login_failures");
    expect(console.complaints()).toEqual([]);
  });

  test("a session that ends shows the sign-in at the next call in every tab, and the page again afterwards", async () => {
    const user = await createUser(console.bellhop, { role: "viewer" });
    const page = await console.page({ at: "/settings/tokens" });
    await signIn(page, { email: user.email, password: PASSWORD });
    await page.getByText("You have no API tokens").waitFor();
    const other = await page.context().newPage();
    const soon = [Date.now() + 5 * 60_000, user.id];
    await query(console.bellhop, "update sessions set expires_at = ? where user_id = ?", soon);
    await other.goto("/settings/account");
    await other.getByText("Your session ends in 5 minutes.").waitFor();
    await other.getByText(user.email).first().waitFor();
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByLabel("Name").fill("nightly");
    await page.getByLabel("automation:read").check();
    await query(console.bellhop, "delete from sessions where user_id = ?", [user.id]);
    await page.getByRole("button", { name: "Create token" }).click();
    await page.getByText("Your session has ended").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(await page.getByText(user.email).count()).toBe(0);
    await other.getByRole("link", { name: "API tokens" }).click();
    await other.getByText("Your session has ended").waitFor();
    await signIn(page, { email: user.email, password: PASSWORD });
    await page.getByText("You have no API tokens").waitFor();
    expect(console.complaints()).toEqual([]);
  });

  testInFull("pages that a user may no longer see disappear after the first refusal", async () => {
    const user = await createUser(console.bellhop, { role: "admin" });
    const page = await console.page({ at: "/settings/account" });
    await signIn(page, { email: user.email, password: PASSWORD });
    const users = page.getByRole("link", { name: "Users" });
    await users.waitFor();
    await query(console.bellhop, "update users set role = 'viewer' where id = ?", [user.id]);
    await users.click();
    await page.getByText("You do not have access to this").waitFor();
    await users.waitFor({ state: "detached" });
    expect(console.complaints()).toEqual([]);
  });

  testInFull("signing out ends the session, and shows a warning when the service does not answer", async () => {
    const page = await console.page();
    await signIn(page, ADA);
    await isIn(page);
    const leave = async () => {
      await page.getByRole("button", { name: /^Account of/u }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
    };
    await page.context().setOffline(true);
    await leave();
    await page.getByText("You may still be signed in").waitFor();
    await page.context().setOffline(false);
    const cookie = (await page.context().cookies()).find(({ name }) => name === "bellhop_session");
    const other = await page.context().newPage();
    await other.goto("/settings/account");
    await isIn(other);
    await leave();
    await other.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.getByText("Your session has ended").count()).toBe(0);
    const headers = { Cookie: `bellhop_session=${cookie?.value}` };
    expect((await fetch(`${console.bellhop.url}${AUTH}/me`, { headers })).status).toBe(401);
    expect(console.complaints()).toEqual([]);
  });

  testInFull(
    "a page with a missing script after an update says so, and a page without permission sends no requests",
    async () => {
      const updated = await console.page({ at: null });
      await updated.route("**/assets/sign-in-*.js", (route) => route.abort());
      await updated.goto("/");
      await updated.getByText("A part of the console could not be loaded").waitFor();
      console.complaints();
      const page = await console.pageAs("viewer", { at: null });
      await page.route("**/api/v1/auth/me", async (route) => {
        const response = await route.fetch();
        const me = z.looseObject({ data: z.looseObject({}) }).parse(await response.json());
        await route.fulfill({ response, json: { ...me, data: { ...me.data, permissions: [] } } });
      });
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      await page.goto("/");
      await page.getByText("You do not have access to this").waitFor();
      expect(asked.filter((url) => url.includes("/automation/"))).toEqual([]);
      expect(await page.getByRole("alert").count()).toBe(1);
      expect(console.complaints()).toEqual([]);
    },
  );

  test("the organisation's sign-in leads to the requested page, and its failures are explained", async () => {
    const page = await console.page({ at: "/agents?pool=web" });
    const go = () => page.getByRole("link", { name: "Sign in with your organisation" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    issuer.consentAs(null);
    await go();
    await page.getByText("Your organisation's sign-in refused or cancelled the sign-in").waitFor();
    expect(page.url()).toBe(`${console.bellhop.url}/agents?pool=web`);
    issuer.consentAs({ sub: "grace", email: "grace@example.com", email_verified: false });
    await go();
    await page.getByText("does not confirm your email address").waitFor();
    issuer.consentAs({ sub: "grace", email: "grace@example.com", name: "Grace" });
    await go();
    await page.getByRole("button", { name: "Account of Grace" }).waitFor();
    expect(page.url()).toBe(`${console.bellhop.url}/agents?pool=web`);
    expect(console.complaints()).toEqual([]);
  });
});
