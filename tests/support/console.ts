import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { ONE_PROCESS, contextsOf } from "./console-contexts.ts";
import { debianPeer } from "./debian-peer.ts";
import { FULL } from "./full.ts";
import type { Role } from "../../schema/contract/people.ts";
import { startBellhop } from "./bellhop.ts";
import type { Bellhop } from "./bellhop.ts";
import { createUser, signedIn } from "./people.ts";

/** The same engine twice: Chromium, and a build of it without window support, which is a third faster. */
const BROWSERS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const CHROMIUM = (FULL ? BROWSERS.toReversed() : BROWSERS).find((path) => existsSync(path));
const missing =
  debianPeer("/usr/bin/chromium-headless-shell", "chromium-headless-shell") ??
  debianPeer("/usr/bin/chromium", "chromium", { full: true });

/** Why tests of the console are skipped here; null where they run. */
export const NO_CHROMIUM = CHROMIUM === undefined ? missing : null;
if (NO_CHROMIUM !== null) console.log(`skipped  tests of the console: ${NO_CHROMIUM}`);

/** The console in a real browser, served by the real service. Stop it in `afterAll`. */
export interface ConsoleUnderTest {
  bellhop: Bellhop;
  browser: Browser;
  /** A page of a signed-in person with this role; each page has its own cookies. */
  pageAs(role: Role, options?: PageOptions): Promise<Page>;
  /** A page without a signed-in person. */
  page(options?: PageOptions): Promise<Page>;
  /** Problems of all pages since the last call: errors, and loads that the Content-Security-Policy blocked. */
  complaints(): string[];
  stop(): Promise<void>;
}

export interface PageOptions {
  /** The first address; `/` by default. Null opens no page. */
  at?: string | null;
  width?: number;
  height?: number;
  dark?: boolean;
}

export const WIDE = 1440;
export const NARROW = 390;

/** The limit for a page's reactions; only a broken page reaches it. */
const WITHIN_MS = 45_000;

export async function startConsole(options: Parameters<typeof startBellhop>[0] = {}): Promise<ConsoleUnderTest> {
  const bellhop = await startBellhop({ ...options, console: true });
  const browser = await chromium.launch({ executablePath: CHROMIUM ?? "", args: ["--no-sandbox", ONE_PROCESS] });
  const contexts = contextsOf(browser);
  const sessions = new Map<Role, ReturnType<typeof sessionOf>>();
  let complaints: string[] = [];

  const open = async ({ at = "/", width = WIDE, height = 900, dark = false }: PageOptions, cookies: Cookies = []) => {
    const look = { viewport: { width, height }, colorScheme: dark ? "dark" : "light" } as const;
    // Screenshots must not show animations.
    const page = await contexts.newPage({ ...look, baseURL: bellhop.url, reducedMotion: "reduce" }, cookies);
    page.context().setDefaultTimeout(WITHIN_MS);
    page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error.stack ?? error.message}`));
    page.on("console", (message) => {
      // A refused request that the page shows to its user is no fault of the page.
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
      const reported = complaints;
      complaints = [];
      return reported;
    },
    stop: async () => {
      await browser.close();
      await bellhop.stop();
    },
  };
}

type Cookies = Parameters<BrowserContext["addCookies"]>[0];

/** One session per role: each sign-in includes a slow comparison of passwords. */
async function sessionOf(bellhop: Bellhop, role: Role) {
  const user = await createUser(bellhop, { role, email: `${role}@example.com` });
  const { cookies } = await signedIn(bellhop, user);
  return [...cookies].map(([name, value]) => ({ name, value, url: bellhop.url }));
}
