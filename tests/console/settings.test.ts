import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { tokenSchema } from "../../schema/contract/people.ts";
import { AUDIT_EXPORT_LAG_MS } from "../../schema/limits.ts";
import { newId } from "../../worker/services/ids.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import { query } from "../support/database.ts";
import { testInFull } from "../support/in-full.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { DELAY_DEFINITION, call, createWorkflow, dataOf, verb } from "../support/management-api.ts";
import { PASSWORD, createToken, createUser, logIn, meStatus, openBrowser, signedIn } from "../support/people.ts";

describe.skipIf(NO_CHROMIUM !== null)("the settings", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole({ bindings: { NOTIFY_EMAIL_FROM: "bellhop@example.com" } });
  });
  afterAll(() => console.stop());

  const status = async (email: string, password: string) =>
    (await logIn(openBrowser(console.bellhop), email, password)).status;

  test("an administrator creates, edits, disables and deletes a user", async () => {
    const page = await console.pageAs("admin", { at: "/settings/users" });
    await page.getByRole("button", { name: "New user" }).click();
    await page.getByLabel("Name").fill("Grace Hopper");
    await page.getByLabel("Email").fill("not an address");
    await page.getByLabel("editor").check();
    await page.getByRole("button", { name: "Generate" }).click();
    const first = await page.getByRole("textbox", { name: "Password" }).inputValue();
    await page.getByRole("button", { name: "Create user" }).click();
    await page.getByText("Must be an email address.").waitFor();
    await page.getByLabel("Email").fill("grace@example.com");
    await page.getByRole("button", { name: "Create user" }).click();
    const row = page.getByRole("row", { name: /Grace Hopper/u });
    await row.getByText("editor").waitFor();
    expect(await status("grace@example.com", first)).toBe(200);

    const secrets: string[] = [];
    const makeToken = async (password: string) => {
      const browser = await signedIn(console.bellhop, { email: "grace@example.com" }, password);
      secrets.push((await createToken(browser, { permissions: ["automation:read"] })).secret);
    };
    const tokensAnswer = () => Promise.all(secrets.map((secret) => meStatus(console.bellhop, secret)));
    await makeToken(first);
    const choose = async (item: string) => {
      await row.getByRole("button", { name: /^Change /u }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    await choose("Set a new password");
    await page.getByRole("textbox", { name: "New password" }).fill("another password");
    await page.getByText("Otherwise their API token is deleted.").waitFor();
    await page.getByRole("checkbox", { name: "Keep this user's API tokens" }).check();
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByText("Grace Hopper has a new password.").waitFor();
    await makeToken("another password");
    expect(await tokensAnswer()).toEqual([200, 200]);
    expect(await status("grace@example.com", "another password")).toBe(200);
    await choose("Edit");
    await page.getByLabel("viewer").check();
    await page.getByRole("button", { name: "Save" }).click();
    await row.getByText("viewer").waitFor();
    await choose("Edit");
    await page.getByRole("switch", { name: "Enabled" }).uncheck();
    await page.getByText("Otherwise their 2 API tokens are deleted.").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Cancel" }).click();
    await choose("Disable");
    await page.getByText("Otherwise their 2 API tokens are deleted.").waitFor();
    await page.getByRole("button", { name: "Disable" }).click();
    await row.getByText("Disabled").waitFor();
    expect(await status("grace@example.com", "another password")).toBe(401);
    await choose("Enable");
    await row.getByText("Enabled").waitFor();
    expect(await tokensAnswer()).toEqual([401, 401]);
    await choose("Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
    expect(console.complaints()).toEqual([]);
  });

  test("the last administrator cannot give up the role, and sees why", async () => {
    const page = await console.pageAs("admin", { at: "/settings/users" });
    const own = page.getByRole("row", { name: /\(you\)/u });
    await own.getByRole("button", { name: /^Change /u }).click();
    expect(await page.getByRole("menuitem", { name: "Delete (not your own account)" }).isDisabled()).toBe(true);
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByLabel("operator").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("This is the last enabled administrator who can sign in.").waitFor();
    expect(await page.getByLabel("operator").isChecked()).toBe(true);
    expect(await axeProblems(page)).toEqual([]);
  });

  test("an API token is shown once, has only its permissions, and is deleted", async () => {
    const page = await console.pageAs("operator", { at: "/settings/tokens" });
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByLabel("Name").fill("Nightly report");
    expect(await page.getByLabel("connections:write").isDisabled()).toBe(true);
    await page.getByLabel("automation:read").check();
    await page.getByRole("button", { name: "Create token" }).click();
    const secret = await page.getByRole("dialog").getByText(/^bht_/u).textContent();
    const call = (method: string, path: string) =>
      fetch(`${console.bellhop.url}${path}`, { method, headers: { Authorization: `Bearer ${secret}` } });
    expect((await call("GET", "/api/v1/automation/workflows")).status).toBe(200);
    expect((await call("POST", "/api/v1/automation/executions/exe_x/cancel")).status).toBe(403);
    const [token] = await dataOf(await call("GET", "/api/v1/auth/tokens"), 200, z.array(tokenSchema));
    expect(Date.parse(token?.expiresAt ?? "") - Date.now()).toBeGreaterThan(89 * 86_400_000);
    await page.getByRole("button", { name: "I have copied it" }).click();
    expect(await page.getByText(String(secret)).count()).toBe(0);
    const kept = await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])");
    expect(String(kept)).not.toContain(String(secret));
    await page.getByRole("button", { name: "Delete the token Nightly report" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("You have no API tokens").waitFor();
    expect(await meStatus(console.bellhop, String(secret))).toBe(401);
    expect(console.complaints()).toEqual([]);
  });

  test("entries of a workflow name it as it was called then", async () => {
    const { bellhop } = console;
    const { id } = await createWorkflow(bellhop, { name: "First name", trigger: { type: "manual" } });
    await verb(bellhop, id, "publish");
    await call(bellhop, "POST", `/workflows/${id}/execute`, {});
    const body = { name: "Second name", trigger: { type: "manual" }, definition: DELAY_DEFINITION };
    await call(bellhop, "PUT", `/workflows/${id}`, body);
    await call(bellhop, "DELETE", `/workflows/${id}`);
    const page = await console.pageAs("admin", { at: `/settings/audit?subjectId=${id}` });
    const published = page.getByRole("row", { name: /Published workflow/u });
    // Not in one line: "Key regenerated agent".
    expect(await published.getByRole("cell").nth(3).innerText()).toMatch(
      /^Published\s*\nworkflow (?:First|Second) name$/u,
    );
    await page.getByText("5 entries, newest first").waitFor();
    const names = page.getByRole("row").filter({ hasText: /workflow/u });
    const texts = await names.getByText(/^(?:First|Second) name$/u).allTextContents();
    expect(texts).toEqual(["Second name", "Second name", "First name", "First name", "First name"]);
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });

  test("a search of the audit log is in the URL, and shows the recorded details", async () => {
    // With a password other than PASSWORD, the API creates the user and records an entry.
    const user = await createUser(console.bellhop, {
      role: "viewer",
      email: "audited@example.com",
      password: "another password",
    });
    // An export ends a minute ago.
    const at = Date.now() - 2 * AUDIT_EXPORT_LAG_MS;
    const older = "update audit_log set id = ?, at = ? where subject_id = ?";
    await query(console.bellhop, older, [newId("audit", at), at, user.id]);
    const page = await console.pageAs("admin", { at: `/settings/audit?subjectId=${user.id}` });
    await page.getByText("1 entry, newest first").waitFor();
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export" }).click();
    const file = await downloading;
    expect(file.suggestedFilename()).toBe("audit.ndjson");
    const exported = (await readFile(await file.path(), "utf8")).trimEnd().split("\n");
    expect(exported.map((line): unknown => JSON.parse(line))).toMatchObject([{ verb: "create", subjectId: user.id }]);
    await page.getByRole("button", { name: "Details: Created by the bootstrap token" }).click();
    await page.getByText('"email": "audited@example.com"').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("row", { name: /Created user audited@example\.com role: viewer/u }).waitFor();
    await page.getByText(/^Times are in the time zone /u).waitFor();
    await page.getByRole("combobox", { name: "Action" }).fill("delete");
    await page.getByRole("option", { name: "Deleted", exact: true }).click();
    await page.getByRole("main").getByRole("button", { name: "Search" }).click();
    await page.getByText("No entries match").waitFor();
    expect(new URL(page.url()).search).toBe(`?verb=delete&subjectId=${user.id}`);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByText(/\d+ entries/u).waitFor();
    await page.goBack();
    await page.getByText("No entries match").waitFor();
    expect(console.complaints()).toEqual([]);
  });

  testInFull("a viewer sees no administrator pages, and changes the own password", async () => {
    const page = await console.pageAs("viewer", { at: "/settings", width: NARROW, height: 800 });
    const tabs = page.getByRole("navigation", { name: "Settings" }).getByRole("link");
    await tabs.first().waitFor();
    expect(await tabs.allTextContents()).toEqual([
      "Your account",
      "Roles",
      "API tokens",
      "Retention",
      "Limits",
      "Notifications",
    ]);
    await page.getByRole("textbox", { name: "Current password" }).fill("not the password");
    await page.getByRole("textbox", { name: "New password" }).fill("a newer password");
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("Is not your current password.").waitFor();
    await page.getByRole("textbox", { name: "Current password" }).fill(PASSWORD);
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("Password changed.").waitFor();
    expect(await page.getByText("Keep my API tokens").count()).toBe(0);
    expect(await status("viewer@example.com", "a newer password")).toBe(200);
    expect(await axeProblems(page)).toEqual([]);
    await tabs.getByText("Roles").click();
    await page.getByText("Sees everything and changes nothing.").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(await axeProblems(page)).toEqual([]);
    await tabs.getByText("Notifications").click();
    await page.getByRole("region", { name: "Text message" }).getByText("NOTIFY_SMS_FROM is not set").waitFor();
    await page.goto("/settings/audit");
    await page.getByText("You do not have access to this").waitFor();
    expect(console.complaints()).toEqual([]);
  });
});
