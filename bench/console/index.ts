import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { z } from "zod";
import { createApi } from "../../scripts/local/api.ts";
import { startService } from "../../scripts/local/service.ts";
import { FEW, createWorkflow, describeDesigner, measureDesigner } from "./designer.ts";
import type { DesignerFigures } from "./designer.ts";
import { describeLiveList, measureLiveList } from "./live-list.ts";
import type { LiveListFigures } from "./live-list.ts";
import { measurePage } from "./pages.ts";
import type { PageFigures } from "./pages.ts";
import { ADMIN, signIn } from "./sign-in.ts";

/**
 * How soon a page of the console is visible, and how much JavaScript it loads, in Chromium with an empty cache, how soon
 * the designer answers, and how busy the live list keeps the browser.
 * Compared with `/docs`: plain HTML of the same Worker, without a script.
 */
export interface ConsoleBench {
  floorPaintMs: number;
  pages: PageFigures[];
  designer: DesignerFigures;
  liveList: LiveListFigures;
}

const CHROMIUM = "/usr/bin/chromium";
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
    const api = createApi(service.url, adminToken);
    await api.post("/users", { ...ADMIN, name: "Bench", role: "admin" }, z.unknown());
    const cookies = await signIn(browser, service.url);
    const pages: PageFigures[] = [];
    for (const path of PAGES) pages.push(await measurePage(browser, service.url, path, cookies));
    const drawn = `/workflows/${await createWorkflow(api, FEW)}/edit`;
    pages.push(await measurePage(browser, service.url, drawn, cookies, "/workflows/{id}/edit"));
    return {
      floorPaintMs: (await measurePage(browser, service.url, "/docs", cookies)).firstPaintMs,
      pages,
      designer: await measureDesigner(browser, service.url, cookies, api),
      liveList: await measureLiveList(browser, service.url, cookies, api),
    };
  } finally {
    await browser.close();
    await service.stop();
    await rm(stateDirectory, { recursive: true, force: true });
  }
}

export function describeConsole({ floorPaintMs, pages, designer, liveList }: ConsoleBench): string {
  const line = ({ path, firstPaintMs, headingMs, scriptGzipKb, scriptBrotliKb }: PageFigures) =>
    `  ${path.padEnd(20)} first paint ${firstPaintMs.toFixed(0).padStart(4)} ms (${(firstPaintMs / floorPaintMs).toFixed(1)} times /docs), ` +
    `heading ${headingMs.toFixed(0).padStart(4)} ms, JavaScript ${scriptGzipKb.toFixed(0).padStart(4)} KB gzip, ${scriptBrotliKb.toFixed(0).padStart(4)} KB brotli`;
  return [
    `  /docs                first paint ${floorPaintMs.toFixed(0).padStart(4)} ms`,
    ...pages.map(line),
    describeDesigner(designer),
    describeLiveList(liveList),
  ].join("\n");
}
