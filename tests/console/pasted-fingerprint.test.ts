import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { comparePasted, groupsOf } from "../../console/views/connections/credential/pasted-fingerprint.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { credentialsOf } from "../support/credentials.ts";
import { createConnection } from "../support/management-api.ts";

const own = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU";
const other = `${own.slice(0, -1)}V`;

describe("a pasted fingerprint", () => {
  test.each([
    ["", "nothing"],
    [`  ${own}\n`, "same"],
    [`ok vault opens; 2 credentials; fingerprint ${own}`, "same"],
    [groupsOf(own).join(" "), "same"],
    [other, "other"],
    [`${own} ${other}`, "other"],
    [own.slice(0, 20), "incomplete"],
    [`${own}A`, "incomplete"],
  ] as const)("%p is %s", (text, expected) => {
    expect(comparePasted(text, own)).toBe(expected);
  });

  test("is shown in groups of four", () => {
    expect(groupsOf("abcdefghij")).toEqual(["abcd", "efgh", "ij"]);
  });
});

describe.skipIf(NO_CHROMIUM !== null)("in the console", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console?.stop());

  test("a pasted fingerprint that matches is confirmed, and another one cannot be delivered to", async () => {
    const use = credentialsOf(console.bellhop);
    await use.startAgent("pasted");
    const { id } = await createConnection(console.bellhop, {
      name: "Pasted",
      type: "ssh",
      poolId: "pasted",
      config: { host: "db-1", username: "ops", authMethod: "password" },
    });
    const [{ fingerprint, name } = { fingerprint: "", name: "" }] = await use.recipientsOf(id);
    const page = await console.pageAs("admin", { at: `/connections/${id}?deliver`, width: NARROW, dark: true });
    const dialog = page.getByRole("dialog");
    const field = dialog.getByRole("textbox", { name: `Fingerprint that ${name} prints` });
    await field.fill(other);
    await dialog.getByText("This is another fingerprint.").waitFor();
    expect(await dialog.getByRole("checkbox").isDisabled()).toBe(true);
    expect(await axeProblems(page)).toEqual([]);
    await field.fill(fingerprint);
    await dialog.getByText("It matches.").waitFor();
    await dialog.getByRole("checkbox", { name: `The target is correct: deliver to ${name}` }).check();
    expect(await axeProblems(page)).toEqual([]);
    // A correction after the choice takes the choice back.
    await field.fill(other);
    expect(await dialog.getByRole("checkbox").isChecked()).toBe(false);
    expect(await dialog.getByRole("button", { name: "Encrypt and deliver" }).isDisabled()).toBe(true);
    await dialog.getByRole("button", { name: "Why?" }).click();
    await dialog.getByText("may belong to an attacker").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(console.complaints()).toEqual([]);
  });
});
