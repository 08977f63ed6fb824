import type { Browser, Page } from "playwright-core";
import { z } from "zod";
import type { createApi } from "../../scripts/local/api.ts";
import { medianOf, percentileOf } from "../engine/figures.ts";
import type { Cookies } from "./sign-in.ts";

/**
 * The designer's answers with few and with many nodes, from the event to the painted frame (ms): the median of the
 * rounds' 95th percentiles, because one disturbed round has more than a twentieth of all samples.
 */
export interface DesignerFigures {
  fewNodes: number;
  manyNodes: number;
  keyFewMs: number;
  keyManyMs: number;
  dragFewMs: number;
  dragManyMs: number;
}

export const FEW = 10;
const MANY = 200;
const ROUNDS = 5;
const KEYS = 80;
const DRAG_STEPS = 80;
const DRAG_PX = 30;

/** Types into a step's form and drags its node, with few and many nodes in turns. */
export async function measureDesigner(
  browser: Browser,
  url: string,
  cookies: Cookies,
  api: ReturnType<typeof createApi>,
): Promise<DesignerFigures> {
  const rounds = { keyFew: [], keyMany: [], dragFew: [], dragMany: [] } as Record<string, number[]>;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [count, size] of [
      [FEW, "Few"],
      [MANY, "Many"],
    ] as const) {
      // A new one each time: the designer saves what is dragged.
      const id = await createWorkflow(api, count);
      const { keys, frames } = await measureOnce(browser, url, cookies, id);
      rounds[`key${size}`]?.push(percentileOf(keys, 0.95));
      rounds[`drag${size}`]?.push(percentileOf(frames, 0.95));
    }
  }
  const p95 = (name: string) => medianOf(rounds[name] ?? []);
  return {
    fewNodes: FEW,
    manyNodes: MANY,
    keyFewMs: p95("keyFew"),
    keyManyMs: p95("keyMany"),
    dragFewMs: p95("dragFew"),
    dragManyMs: p95("dragMany"),
  };
}

/** Chains of ten approvals, side by side. */
export async function createWorkflow(api: ReturnType<typeof createApi>, count: number): Promise<string> {
  const ids = Array.from({ length: count }, (_, index) => `step${index}`);
  const nodes = ids.map((id) => ({ id, type: "approval", message: "May it run?", timeoutSeconds: 600 }));
  const edges = ids.flatMap((to, index) =>
    index % 10 === 0 ? [] : [{ from: `step${index - 1}`, to, on: "approved" }],
  );
  const place = (index: number) => ({ x: 260 * (index % 10), y: 120 * Math.floor(index / 10) });
  const layout = { "@trigger": { x: -260, y: 0 }, ...Object.fromEntries(ids.map((id, index) => [id, place(index)])) };
  const workflow = {
    name: `Bench ${crypto.randomUUID()}`,
    trigger: { type: "manual" },
    definition: { nodes, edges, layout },
  };
  const { id } = await api.post("/workflows", workflow, z.object({ id: z.string() }));
  return id;
}

async function measureOnce(browser: Browser, url: string, cookies: Cookies, id: string) {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 } });
  await context.addCookies(cookies);
  const page = await context.newPage();
  await page.goto(`/workflows/${id}/edit`);
  const node = page.locator('.react-flow__node[data-id="step0"]');
  await node.click();
  const field = page.getByRole("textbox", { name: /^Question/u });
  await field.click();
  const keys = await timed(page, "keydown", async () => {
    for (let index = 0; index < KEYS; index += 1) await page.keyboard.press(index % 6 === 5 ? "Space" : "e");
  });
  const box = await node.boundingBox();
  if (box === null) throw new Error("the node is not on the canvas");
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  const frames = await timed(page, "pointermove", async () => {
    for (let step = 1; step <= DRAG_STEPS; step += 1) {
      const angle = (2 * Math.PI * step) / DRAG_STEPS;
      await page.mouse.move(x + DRAG_PX * (1 - Math.cos(angle)), y + DRAG_PX * Math.sin(angle));
    }
  });
  await page.mouse.up();
  await context.close();
  return { keys, frames };
}

/** The times from each event of a type to the end of its frame, painted. */
async function timed(page: Page, event: string, act: () => Promise<void>): Promise<number[]> {
  await page.evaluate(
    `{ window.benchTimes = []; window.benchListener = (event) => requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => window.benchTimes.push(performance.now() - event.timeStamp);
      channel.port2.postMessage(null);
    }); addEventListener("${event}", window.benchListener, true); }`,
  );
  await act();
  const times = await page.evaluate(
    `new Promise((done) => setTimeout(() => { removeEventListener("${event}", window.benchListener, true); done(window.benchTimes); }, 200))`,
  );
  return z.array(z.number()).min(1).parse(times);
}

export function describeDesigner(figures: DesignerFigures): string {
  const { fewNodes, manyNodes, keyFewMs, keyManyMs, dragFewMs, dragManyMs } = figures;
  const line = (what: string, few: number, many: number) =>
    `  ${what}, p95: ${few.toFixed(1)} ms with ${fewNodes} nodes, ${many.toFixed(1)} ms with ${manyNodes} (${(many / few).toFixed(1)} times)`;
  return [line("a key in a form", keyFewMs, keyManyMs), line("a drag frame", dragFewMs, dragManyMs)].join("\n");
}
