import { afterEach, beforeEach } from "bun:test";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";

/** Of Chromium: all pages of a context run in one process, which keeps the scripts that it has compiled. */
export const ONE_PROCESS = "--process-per-site";
/** A file of the console that runs no script. */
const QUIET_FILE = "/favicon.svg";

type Cookies = Parameters<BrowserContext["addCookies"]>[0];

/** Pages that the running test opened; null between tests. */
let opened: Page[] | null = null;
beforeEach(() => {
  opened = [];
});
afterEach(async () => {
  const pages = opened ?? [];
  opened = null;
  for (const page of pages) for (const each of page.context().pages()) if (!keepers.has(each)) await each.close();
});

/** Each holds its context's process while no test has a page there. */
const keepers = new Set<Page>();

/**
 * Opens pages that know nothing of each other. A new process compiles all scripts of the console again, which takes
 * longer than the rest of its start: a context whose pages are all closed is emptied and used again. The pages of a
 * test are closed when it ends; those of `beforeAll` stay.
 */
export function contextsOf(browser: Browser) {
  const contexts: { options: string; context: BrowserContext; keeper: Page }[] = [];

  const add = async (options: BrowserContextOptions) => {
    const context = await browser.newContext(options);
    const keeper = await context.newPage();
    keepers.add(keeper);
    await keeper.goto(QUIET_FILE);
    const added = { options: JSON.stringify(options), context, keeper };
    contexts.push(added);
    return added;
  };

  const empty = async ({ context, keeper }: (typeof contexts)[number]) => {
    await context.unrouteAll();
    await context.setOffline(false);
    await context.clearPermissions();
    await context.clearCookies();
    await keeper.evaluate("localStorage.clear()");
  };

  return {
    async newPage(options: BrowserContextOptions, cookies: Cookies): Promise<Page> {
      const wanted = JSON.stringify(options);
      const idle = contexts.find((each) => each.options === wanted && each.context.pages().length === 1);
      if (idle !== undefined) await empty(idle);
      const { context } = idle ?? (await add(options));
      await context.addCookies(cookies);
      const page = await context.newPage();
      opened?.push(page);
      return page;
    },
  };
}
