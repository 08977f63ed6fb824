import { previewRetentionQuerySchema } from "../../../schema/contract/retention.ts";
import type { RetentionPreview } from "../../../schema/contract/retention.ts";
import { RETENTION_SHORTER_AFTER_MS } from "../../../schema/limits.ts";
import type { Deps } from "../deps.ts";
import { parseInput } from "../parse.ts";
import { readPeriods } from "./periods.ts";
import { countDueBy } from "./read.ts";

/** What would be deleted when these periods took effect, a day from now. */
export async function previewRetention(deps: Deps, query: unknown): Promise<RetentionPreview> {
  const wanted = parseInput(previewRetentionQuerySchema, query);
  const at = deps.now() + RETENTION_SHORTER_AFTER_MS;
  const { periods } = await readPeriods(deps);
  const given = Object.fromEntries(Object.entries(wanted).filter(([, days]) => days !== undefined));
  const due = await countDueBy(deps, { ...periods, ...given }, at);
  return {
    kinds: [...due].map(([kind, rows]) => ({ kind, due: rows })),
    at: new Date(at).toISOString(),
  };
}
