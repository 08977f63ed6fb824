import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { z } from "zod";
import { ROOT } from "../../scripts/paths.ts";

const resultSchema = z.object({
  violations: z.array(
    z.object({
      id: z.string(),
      impact: z.string().nullable(),
      help: z.string(),
      nodes: z.array(z.object({ target: z.array(z.unknown()), failureSummary: z.string().optional() })),
    }),
  ),
});

let source: Promise<string> | undefined;

/** The serious and critical problems that axe finds on the page now, one line each. */
export async function axeProblems(page: Page): Promise<string[]> {
  source ??= readFile(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");
  // Loading axe into the page takes longer than the check itself.
  if ((await page.evaluate("'axe' in window")) !== true) await page.evaluate(await source);
  const { violations } = resultSchema.parse(await page.evaluate("axe.run({ resultTypes: ['violations'] })"));
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
}
