import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import type { Cookies } from "./sign-in.ts";

export interface PageFigures {
  path: string;
  /** The first paint of any content, and of the page's own heading; medians. */
  firstPaintMs: number;
  headingMs: number;
  scriptGzipKb: number;
}

const VISITS = 7;

/** Visits a page with an empty cache. */
export async function measurePage(browser: Browser, url: string, path: string, cookies: Cookies): Promise<PageFigures> {
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
