import { test } from "bun:test";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { debianPeer } from "./debian-peer.ts";
import type { Role } from "../../schema/contract/people.ts";
import { startBellhop } from "./bellhop.ts";
import type { Bellhop } from "./bellhop.ts";
import { createUser, signedIn } from "./people.ts";

const FULL = process.env["BELLHOP_TEST_FULL"] === "1";

/** The same engine twice: Chromium as people have it, and without all that a window needs, which is a third quicker. */
const BROWSERS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const CHROMIUM = (FULL ? BROWSERS.toReversed() : BROWSERS).find((path) => existsSync(path));
const missing =
  debianPeer("/usr/bin/chromium-headless-shell", "chromium-headless-shell") ??
  debianPeer("/usr/bin/chromium", "chromium", { full: true });

/** Why tests of the console are skipped here; null where they run. */
export const NO_CHROMIUM = CHROMIUM === undefined ? missing : null;
if (NO_CHROMIUM !== null) console.log(`skipped  tests of the console: ${NO_CHROMIUM}`);

/** A test of what is broad, slow and rarely breaks: `npm run test:full` alone runs it, and where it is skipped it is named. */
export function testInFull(name: string, run: () => Promise<void>): void {
  if (!FULL) console.log(`skipped  ${name}: in npm run test:full only`);
  test.skipIf(!FULL)(name, run);
}

/** The console in a real browser, before the real service. Stop it in `afterAll`. */
export interface ConsoleUnderTest {
  bellhop: Bellhop;
  browser: Browser;
  /** A page of somebody with this role who has signed in; each has cookies of its own. */
  pageAs(role: Role, options?: PageOptions): Promise<Page>;
  /** A page of nobody. */
  page(options?: PageOptions): Promise<Page>;
  /** What pages complained of since it was last asked: errors, and what the Content-Security-Policy stopped. */
  complaints(): string[];
  stop(): Promise<void>;
}

export interface PageOptions {
  /** Where to begin; `/` when not said. Null opens nothing. */
  at?: string | null;
  width?: number;
  height?: number;
  dark?: boolean;
}

export const WIDE = 1440;
export const NARROW = 390;

/** How long a page may take for something: a bound that only a broken one reaches. */
const WITHIN_MS = 15_000;

export async function startConsole(options: Parameters<typeof startBellhop>[0] = {}): Promise<ConsoleUnderTest> {
  const bellhop = await startBellhop({ ...options, console: true });
  const browser = await chromium.launch({ executablePath: CHROMIUM ?? "", args: ["--no-sandbox"] });
  const sessions = new Map<Role, ReturnType<typeof sessionOf>>();
  let complaints: string[] = [];

  const open = async ({ at = "/", width = WIDE, height = 900, dark = false }: PageOptions, cookies: Cookies = []) => {
    const context = await browser.newContext({
      baseURL: bellhop.url,
      viewport: { width, height },
      colorScheme: dark ? "dark" : "light",
      // Nothing moves in a picture.
      reducedMotion: "reduce",
    });
    context.setDefaultTimeout(WITHIN_MS);
    await context.addCookies(cookies);
    const page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error.stack ?? error.message}`));
    page.on("console", (message) => {
      // A refusal that the page shows to somebody is no fault of the page.
      const isRefusal = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !isRefusal) complaints.push(`${page.url()}: ${message.text()}`);
    });
    if (at !== null) await page.goto(at);
    return page;
  };

  const sessionFor = (role: Role) => {
    const session = sessions.get(role) ?? sessionOf(bellhop, role);
    sessions.set(role, session);
    return session;
  };

  return {
    bellhop,
    browser,
    pageAs: async (role, options = {}) => {
      // The first account of a deployment is an administrator's.
      if (role !== "admin") await sessionFor("admin");
      return open(options, await sessionFor(role));
    },
    page: (options = {}) => open(options),
    complaints: () => {
      const told = complaints;
      complaints = [];
      return told;
    },
    stop: async () => {
      await browser.close();
      await bellhop.stop();
    },
  };
}

type Cookies = Parameters<BrowserContext["addCookies"]>[0];

/** One for each role: signing in costs a comparison of passwords, which takes its time. */
async function sessionOf(bellhop: Bellhop, role: Role) {
  const user = await createUser(bellhop, { role, email: `${role}@example.com` });
  const { cookies } = await signedIn(bellhop, user);
  return [...cookies].map(([name, value]) => ({ name, value, url: bellhop.url }));
}
