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
const VIEWS: [name: string, address: Address][] = [
  ["overview", () => "/"],
  ["workflows", () => "/workflows"],
  ["workflow", ({ workflowId }) => `/workflows/${workflowId}`],
  ["workflow-schedule", ({ cronWorkflowId }) => `/workflows/${cronWorkflowId}?tab=schedule`],
  ["workflow-webhook", ({ workflowId }) => `/workflows/${workflowId}?tab=webhook`],
  ["workflow-versions", ({ workflowId }) => `/workflows/${workflowId}?tab=versions`],
  ["workflow-executions", ({ workflowId }) => `/workflows/${workflowId}?tab=executions`],
  ["workflow-new", () => "/workflows/new"],
  ["designer", ({ workflowId }) => `/workflows/${workflowId}/edit`],
  ["executions", () => "/executions"],
  ["execution", ({ executions }) => `/executions/${executions.succeeded}`],
  ["execution-failed", ({ executions }) => `/executions/${executions.failed}`],
  ["execution-approval", ({ executions }) => `/executions/${executions.forApproval}`],
  ["execution-loop", ({ executions }) => `/executions/${executions.looped}`],
  ["execution-timeline", ({ executions }) => `/executions/${executions.looped}?tab=timeline`],
  ["execution-waiting", ({ executions }) => `/executions/${executions.waiting}`],
  ["agents", () => "/agents"],
  ["agent", ({ agentId }) => `/agents/${agentId}`],
  ["pool", ({ poolId }) => `/pools/${poolId}`],
  ["connections", () => "/connections"],
  ["connection", ({ connectionId }) => `/connections/${connectionId}`],
  ["connection-deliver", ({ connectionId }) => `/connections/${connectionId}?deliver`],
  ["incidents", () => "/incidents"],
  ["incident", ({ incidentId }) => `/incidents/${incidentId}`],
  ["integrations", () => "/integrations"],
  ["settings-account", () => "/settings/account"],
  ["settings-users", () => "/settings/users"],
  ["settings-roles", () => "/settings/roles"],
  ["settings-tokens", () => "/settings/tokens"],
  ["settings-audit", () => "/settings/audit"],
  ["settings-notifications", () => "/settings/notifications"],
];

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
        `%s at ${look} fits its window and is accessible`,
        async (name, address) => {
          const height = width === WIDE ? 900 : 844;
          const page = await console.pageAs("admin", { at: address(seeded), width, height, dark });
          await settled(page);
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
