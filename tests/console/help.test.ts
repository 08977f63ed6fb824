import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { PAGES } from "../../console/app/pages.ts";
import { SETTINGS_TABS } from "../../console/views/settings/tabs.ts";
import { CONNECTION_TYPES } from "../../schema/contract/connection.ts";
import { docsPage } from "../../scripts/docs-html.ts";
import { ROOT } from "../../scripts/paths.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";

const files = [...new Glob("docs/**/*.md").scanSync(ROOT)];
const pages = new Map(
  await Promise.all(
    files.map(async (file) => {
      const page = docsPage(file, await Bun.file(join(ROOT, file)).text());
      return [page.slug, page] as const;
    }),
  ),
);

/** Whether "workflows#triggers" is a page of docs/ with this heading. */
function exists(target: string): boolean {
  const [slug = "", heading] = target.split("#");
  const html = pages.get(slug)?.html;
  return html !== undefined && (heading === undefined || html.includes(` id="${heading}"`));
}

test.each<[string, string]>([
  ...PAGES.flatMap(({ path, help }): [string, string][] => (help === null ? [] : [[path, help]])),
  ...SETTINGS_TABS.map(({ tab, help }): [string, string] => [`/settings/${tab}`, help]),
  ...CONNECTION_TYPES.map((type): [string, string] => [`a connection of the type ${type}`, `connections/${type}`]),
])("the help of %s exists: %s", (_, target) => {
  expect(exists(target)).toBe(true);
});

test("only the pages of the documentation have no help", () => {
  expect(PAGES.filter(({ help }) => help === null).map(({ path }) => path)).toEqual(["/help/*?"]);
});

test("every link between pages of the documentation leads to a heading that exists", () => {
  const links = [...pages.values()].flatMap(({ slug, html }) =>
    [...html.matchAll(/<a href="\/help\/([^"]+)"/gu)].map(([, target = ""]) => ({ slug, target })),
  );
  expect(links.length).toBeGreaterThan(50);
  expect(links.filter(({ target }) => !exists(target))).toEqual([]);
});

test.each([
  ["a link to another page", "[a](workflows.md#b)", "docs/people.md", '<a href="/help/workflows#b">a</a>'],
  ["a link out of a folder", "[a](../deploy.md)", "docs/connections/ssh.md", '<a href="/help/deploy">a</a>'],
  ["a link to a heading", "[a](#b)", "docs/connections/README.md", '<a href="/help/connections#b">a</a>'],
  ["a link to the first page of a folder", "[a](README.md)", "docs/design/people.md", '<a href="/help/design">a</a>'],
  ["a link to the source as plain text", "[a](../worker/cron.ts)", "docs/people.md", "<p>a</p>"],
  ["another site in another tab", "[a](https://b.example)", "docs/people.md", 'target="_blank" rel="noreferrer"'],
])("a page of the documentation has %s", (_, markdown, path, expected) => {
  expect(docsPage(path, `# Title\n\n${markdown}\n`)).toMatchObject({
    title: "Title",
    html: expect.stringContaining(expected),
  });
});

describe.skipIf(NO_CHROMIUM !== null)("the help of the console", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test("opens the page of docs/ at its heading, whose links lead to other pages", async () => {
    const opener = await console.pageAs("viewer", { at: "/workflows/new" });
    const tab = opener.context().waitForEvent("page");
    await opener.getByRole("link", { name: "Help" }).click();
    const page = await tab;
    await page.getByRole("heading", { level: 1, name: "Writing workflows" }).waitFor();
    const heading = page.getByRole("heading", { level: 2, name: "Triggers" });
    await heading.waitFor();
    expect(new URL(page.url()).hash).toBe("#triggers");
    const top = Number(await page.evaluate("document.getElementById('triggers').getBoundingClientRect().top"));
    expect(top).toBeGreaterThan(50);
    expect(top).toBeLessThan(200);
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("article").getByRole("link", { name: "usableBy" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Connections" }).waitFor();
    await page.setViewportSize({ width: NARROW, height: 800 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    await page.getByRole("link", { name: "Documentation" }).click();
    await page.getByRole("link", { name: "Installing an agent" }).click();
    await page.getByRole("heading", { level: 1, name: "Installing an agent" }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.goto("/help/workflows#100%");
    await page.getByRole("heading", { level: 2, name: "Triggers" }).waitFor();
    await page.goto("/help/nothing");
    await page.getByText("There is no page “nothing” of the documentation.").waitFor();
    expect(console.complaints()).toEqual([]);
  });
});
