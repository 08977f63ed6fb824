import { gzipSync } from "node:zlib";
import type { Browser, Request } from "playwright-core";
import { medianOf } from "../engine/figures.ts";
import type { Cookies } from "./sign-in.ts";

export interface PageFigures {
  path: string;
  /** The first paint of any content, and of the page's own heading; medians. */
  firstPaintMs: number;
  headingMs: number;
  scriptGzipKb: number;
  /** As the service sends it. */
  scriptBrotliKb: number;
}

const VISITS = 7;

/** Visits a page with an empty cache. `name` is its path in the figures. */
export async function measurePage(
  browser: Browser,
  url: string,
  path: string,
  cookies: Cookies,
  name = path,
): Promise<PageFigures> {
  const paints: number[] = [];
  const headings: number[] = [];
  let [scriptGzipKb, scriptBrotliKb] = [0, 0];
  for (let visit = 0; visit < VISITS; visit += 1) {
    const context = await browser.newContext({ baseURL: url });
    await context.addCookies(cookies);
    const page = await context.newPage();
    const scripts: Promise<{ gzip: number; sent: number }>[] = [];
    page.on("requestfinished", (request) => {
      if (new URL(request.url()).pathname.endsWith(".js")) scripts.push(sizesOf(request));
    });
    const startedAt = performance.now();
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    headings.push(performance.now() - startedAt);
    const paint = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN");
    paints.push(Number(paint));
    await page.waitForLoadState("networkidle");
    const sizes = await Promise.all(scripts);
    scriptGzipKb = sizes.reduce((sum, { gzip }) => sum + gzip, 0) / 1_000;
    scriptBrotliKb = sizes.reduce((sum, { sent }) => sum + sent, 0) / 1_000;
    await context.close();
  }
  return { path: name, firstPaintMs: medianOf(paints), headingMs: medianOf(headings), scriptGzipKb, scriptBrotliKb };
}

async function sizesOf(request: Request): Promise<{ gzip: number; sent: number }> {
  const [response, { responseBodySize }] = await Promise.all([request.response(), request.sizes()]);
  const body = (await response?.body()) ?? Buffer.alloc(0);
  return { gzip: gzipSync(body).byteLength, sent: responseBodySize };
}
