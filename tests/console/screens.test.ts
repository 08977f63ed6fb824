import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { ROOT } from "../../scripts/paths.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, WIDE, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { seedConsole } from "../support/console-seed.ts";
import type { Seeded } from "../support/console-seed.ts";
import { eventually } from "../support/eventually.ts";
import { FULL } from "../support/full.ts";

/** Every view in both widths and both themes, into dist/screens: to be looked at, and checked for what a program can see. */
const DIRECTORY = join(ROOT, "dist/screens");
const LIMIT_MS = 60_000;

const whyNot = NO_CHROMIUM ?? (FULL ? null : "in npm run test:full only");
if (whyNot !== null) console.log(`skipped  pictures of every view of the console: ${whyNot}`);

type Address = (seeded: Seeded) => string;
type Enter = (page: Page) => Promise<unknown>;
/** `enter` opens what has no address. */
const VIEWS: { name: string; address: Address; enter?: Enter }[] = [
  { name: "overview", address: () => "/" },
  { name: "workflows", address: () => "/workflows" },
  { name: "workflow", address: ({ workflowId }) => `/workflows/${workflowId}` },
  { name: "workflow-schedule", address: ({ cronWorkflowId }) => `/workflows/${cronWorkflowId}?tab=schedule` },
  { name: "workflow-webhook", address: ({ workflowId }) => `/workflows/${workflowId}?tab=webhook` },
  { name: "workflow-versions", address: ({ workflowId }) => `/workflows/${workflowId}?tab=versions` },
  { name: "workflow-executions", address: ({ workflowId }) => `/workflows/${workflowId}?tab=executions` },
  { name: "workflow-new", address: () => "/workflows/new" },
  { name: "designer", address: ({ workflowId }) => `/workflows/${workflowId}/edit` },
  {
    name: "designer-problems",
    address: ({ workflowId }) => `/workflows/${workflowId}/edit`,
    enter: openProblems,
  },
  {
    name: "designer-folded",
    address: ({ workflowId }) => `/workflows/${workflowId}/edit`,
    enter: async (page) => {
      for (const name of ["Hide the palette", "Hide the details"]) {
        const fold = page.getByRole("button", { name });
        // A phone has no panels beside the canvas.
        if (await fold.isVisible()) await fold.click();
      }
    },
  },
  {
    name: "designer-full-screen",
    address: ({ workflowId }) => `/workflows/${workflowId}/edit`,
    enter: async (page) => {
      await page.locator('.react-flow__node[data-id="look"]').click();
      await page.getByRole("button", { name: /^Open .* full screen$/u }).click();
      await page.locator(".cm-content").first().waitFor();
    },
  },
  {
    name: "palette",
    address: () => "/",
    enter: async (page) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("option").first().waitFor();
    },
  },
  { name: "help", address: () => "/help/workflows" },
  { name: "executions", address: () => "/executions" },
  { name: "execution", address: ({ executions }) => `/executions/${executions.succeeded}` },
  { name: "execution-failed", address: ({ executions }) => `/executions/${executions.failed}` },
  { name: "execution-approval", address: ({ executions }) => `/executions/${executions.forApproval}` },
  { name: "execution-loop", address: ({ executions }) => `/executions/${executions.looped}` },
  { name: "execution-timeline", address: ({ executions }) => `/executions/${executions.looped}?tab=timeline` },
  { name: "execution-waiting", address: ({ executions }) => `/executions/${executions.waiting}` },
  { name: "agents", address: () => "/agents" },
  { name: "agent", address: ({ agentId }) => `/agents/${agentId}` },
  { name: "pool", address: ({ poolId }) => `/pools/${poolId}` },
  { name: "connections", address: () => "/connections" },
  { name: "connection", address: ({ connectionId }) => `/connections/${connectionId}` },
  {
    name: "connection-new-several",
    address: () => "/connections/new?type=ssh",
    enter: (page) => page.getByRole("radio", { name: "Several hosts" }).check(),
  },
  { name: "connection-deliver", address: ({ connectionId }) => `/connections/${connectionId}?deliver` },
  { name: "incidents", address: () => "/incidents" },
  { name: "incident", address: ({ incidentId }) => `/incidents/${incidentId}` },
  { name: "integrations", address: () => "/integrations" },
  { name: "maintenance", address: () => "/maintenance" },
  { name: "maintenance-new", address: () => "/maintenance?open=create" },
  { name: "settings-account", address: () => "/settings/account" },
  { name: "settings-users", address: () => "/settings/users" },
  { name: "settings-roles", address: () => "/settings/roles" },
  { name: "settings-tokens", address: () => "/settings/tokens" },
  { name: "settings-audit", address: () => "/settings/audit" },
  { name: "settings-retention", address: () => "/settings/retention" },
  { name: "settings-limits", address: () => "/settings/limits" },
  { name: "settings-notifications", address: () => "/settings/notifications" },
  {
    name: "settings-notifications-rule",
    address: () => "/settings/notifications",
    enter: async (page) => {
      await page.getByRole("button", { name: "New rule" }).click();
      await page.getByRole("dialog").getByRole("switch", { name: "Quiet hours" }).click();
    },
  },
];

async function openProblems(page: Page) {
  const tab = page.getByRole("tab", { name: /Problems/u });
  // On a phone the panel opens with a step.
  if (await tab.isVisible()) await tab.click();
}

describe.skipIf(whyNot !== null)("every view of the console", () => {
  let console: ConsoleUnderTest;
  let seeded: Seeded;
  beforeAll(async () => {
    console = await startConsole();
    await mkdir(DIRECTORY, { recursive: true });
    seeded = await seedConsole(console.bellhop);
  }, LIMIT_MS);
  afterAll(async () => {
    await seeded.stop();
    await console.stop();
  });

  for (const dark of [false, true]) {
    for (const width of [WIDE, NARROW]) {
      const look = `${width}-${dark ? "dark" : "light"}`;
      test.each(VIEWS)(
        `$name at ${look} fits its window and is accessible`,
        async ({ name, address, enter }) => {
          const height = width === WIDE ? 900 : 844;
          const page = await console.pageAs("admin", { at: address(seeded), width, height, dark });
          await settled(page);
          await enter?.(page);
          await page.screenshot({ path: join(DIRECTORY, `${name}-${look}.png`) });
          const problems = {
            tooWide: Number(await page.evaluate("document.documentElement.scrollWidth")) > width,
            axe: await axeProblems(page),
            complaints: console.complaints(),
          };
          await page.close();
          expect(problems).toEqual({ tooWide: false, axe: [], complaints: [] });
        },
        LIMIT_MS,
      );
    }
  }

  test(
    "sign-in",
    async () => {
      for (const dark of [false, true]) {
        for (const width of [WIDE, NARROW]) {
          const page = await console.page({ width, height: 844, dark });
          await page.getByLabel("Password").first().waitFor();
          const look = `${width}-${dark ? "dark" : "light"}`;
          await page.screenshot({ path: join(DIRECTORY, `sign-in-${look}.png`) });
          expect(await axeProblems(page)).toEqual([]);
          await page.close();
        }
      }
    },
    LIMIT_MS,
  );
});

/**
 * Until loading has ended: the page has its heading, and no part of it is waiting. Asked again from here: the page's
 * policy forbids what Playwright's own waiting for an expression evaluates there.
 */
async function settled(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  const loading = page.locator("[role=status][aria-label^=Loading]");
  await eventually("the end of loading", async () => (await loading.count()) === 0);
  await page.evaluate("document.fonts.ready.then(() => true)");
}
