import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext } from "playwright-core";
import { z } from "zod";
import { createApi } from "../scripts/local/api.ts";
import { startService } from "../scripts/local/service.ts";

/**
 * How soon a page of the console is visible, and how much JavaScript it loads, in Chromium with an empty cache.
 * Compared with `/docs`: plain HTML of the same Worker, without a script.
 */
export interface ConsoleBench {
  floorPaintMs: number;
  pages: PageFigures[];
}
interface PageFigures {
  path: string;
  /** The first paint of any content, and of the page's own heading; medians. */
  firstPaintMs: number;
  headingMs: number;
  scriptGzipKb: number;
}

const CHROMIUM = "/usr/bin/chromium";
const VISITS = 7;
const ADMIN = { email: "bench@example.com", password: "correct horse battery staple" };
const PAGES = [
  "/",
  "/workflows",
  "/workflows/new",
  "/executions",
  "/agents",
  "/connections",
  "/incidents",
  "/settings/audit",
];

export async function benchConsole(): Promise<ConsoleBench> {
  const stateDirectory = await mkdtemp(join(tmpdir(), "bellhop-bench-"));
  const settings = { serverSecret: "bench-server-secret-0123456789-0123456789", databaseToken: "bench-database-token" };
  const adminToken = "bench-admin-token-0123456789";
  const service = await startService({ stateDirectory, port: 0, adminToken, settings });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    await createApi(service.url, adminToken).post("/users", { ...ADMIN, name: "Bench", role: "admin" }, z.unknown());
    const cookies = await signIn(browser, service.url);
    const pages: PageFigures[] = [];
    for (const path of PAGES) pages.push(await measure(browser, service.url, path, cookies));
    return { floorPaintMs: (await measure(browser, service.url, "/docs", cookies)).firstPaintMs, pages };
  } finally {
    await browser.close();
    await service.stop();
    await rm(stateDirectory, { recursive: true, force: true });
  }
}

export function describeConsole({ floorPaintMs, pages }: ConsoleBench): string {
  const line = ({ path, firstPaintMs, headingMs, scriptGzipKb }: PageFigures) =>
    `  ${path.padEnd(16)} first paint ${firstPaintMs.toFixed(0).padStart(4)} ms (${(firstPaintMs / floorPaintMs).toFixed(1)} times /docs), ` +
    `heading ${headingMs.toFixed(0).padStart(4)} ms, JavaScript ${scriptGzipKb.toFixed(0).padStart(4)} KB gzip`;
  return [`  /docs            first paint ${floorPaintMs.toFixed(0).padStart(4)} ms`, ...pages.map(line)].join("\n");
}

type Cookies = Parameters<BrowserContext["addCookies"]>[0];

async function signIn(browser: Browser, url: string): Promise<Cookies> {
  const context = await browser.newContext({ baseURL: url });
  const answer = await context.request.post("/api/v1/auth/login", { data: ADMIN, headers: { Origin: url } });
  if (!answer.ok()) throw new Error(`signing in was answered ${answer.status()}`);
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

async function measure(browser: Browser, url: string, path: string, cookies: Cookies): Promise<PageFigures> {
  const paints: number[] = [];
  const headings: number[] = [];
  let scriptGzipKb = 0;
  for (let visit = 0; visit < VISITS; visit += 1) {
    const context = await browser.newContext({ baseURL: url });
    await context.addCookies(cookies);
    const page = await context.newPage();
    const scripts: Promise<number>[] = [];
    page.on("response", (response) => {
      if (new URL(response.url()).pathname.endsWith(".js")) scripts.push(gzippedBytes(response.body()));
    });
    const startedAt = performance.now();
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    headings.push(performance.now() - startedAt);
    const paint = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN");
    paints.push(Number(paint));
    scriptGzipKb = (await Promise.all(scripts)).reduce((sum, bytes) => sum + bytes, 0) / 1_000;
    await context.close();
  }
  return { path, firstPaintMs: median(paints), headingMs: median(headings), scriptGzipKb };
}

async function gzippedBytes(body: Promise<Buffer>): Promise<number> {
  return gzipSync(await body).byteLength;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
