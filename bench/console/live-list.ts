import type { Browser } from "playwright-core";
import { z } from "zod";
import type { Api } from "../../scripts/local/api.ts";
import type { Cookies } from "./sign-in.ts";

/** The work of the page's main thread, in percent of the time. */
export interface LiveListFigures {
  executionsPerSecond: number;
  rows: number;
  busyPercent: number;
}

const WINDOW_MS = 20_000;
const EVERY_MS = 500;
const ROWS = 100;

/** Opens the list of executions while two start every second, each for a second, and measures its main thread. */
export async function measureLiveList(
  browser: Browser,
  url: string,
  cookies: Cookies,
  api: Api,
): Promise<LiveListFigures> {
  const execute = await publishDelay(api);
  for (let count = 0; count < ROWS; count += 1) await execute();
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 } });
  await context.addCookies(cookies);
  const page = await context.newPage();
  await page.goto("/executions");
  await page.getByText("Live", { exact: true }).waitFor();
  const devtools = await context.newCDPSession(page);
  // The thread's own time: other processes of this machine do not count.
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const busyMs = async () => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1_000;
  };
  const before = await busyMs();
  const startedAt = performance.now();
  const starting: Promise<unknown>[] = [];
  while (performance.now() - startedAt < WINDOW_MS) {
    starting.push(execute());
    await Bun.sleep(EVERY_MS);
  }
  const busyPercent = (((await busyMs()) - before) / (performance.now() - startedAt)) * 100;
  await Promise.all(starting);
  const rows = Number(await page.getByRole("table").getAttribute("aria-rowcount")) - 1;
  await context.close();
  return { executionsPerSecond: 1_000 / EVERY_MS, rows, busyPercent };
}

export function describeLiveList({ executionsPerSecond, rows, busyPercent }: LiveListFigures): string {
  return `  /executions          live: ${executionsPerSecond} executions a second and ${rows} rows keep the main thread ${busyPercent.toFixed(1)} % busy`;
}

/** A workflow whose executions start and end; gives the function that starts one. */
async function publishDelay(api: Api): Promise<() => Promise<unknown>> {
  const definition = { nodes: [{ id: "wait", type: "delay", seconds: 1 }], edges: [] };
  const body = { name: "Live list", trigger: { type: "manual" }, definition };
  const { id } = await api.post("/workflows", body, z.object({ id: z.string() }));
  await api.post(`/workflows/${id}/publish`, undefined, z.unknown());
  return () => api.post(`/workflows/${id}/execute`, { variables: {} }, z.unknown());
}
