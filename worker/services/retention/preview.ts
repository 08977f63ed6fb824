import { previewRetentionQuerySchema } from "../../../schema/contract/retention.ts";
import type { RetentionPreview } from "../../../schema/contract/retention.ts";
import { RETENTION_COUNT_MAX, RETENTION_SHORTER_AFTER_MS } from "../../../schema/limits.ts";
import { withDefaults } from "../../domain/retention.ts";
import { countDueOfWorkflow } from "../../store/retention-due.ts";
import { findWorkflow } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { parseInput } from "../parse.ts";
import { readPeriods } from "./periods.ts";
import { bounded, countDueBy } from "./read.ts";

/** What would be deleted when these periods took effect, a day from now. */
export async function previewRetention(deps: Deps, query: unknown): Promise<RetentionPreview> {
  const wanted = parseInput(previewRetentionQuerySchema, query);
  const at = deps.now() + RETENTION_SHORTER_AFTER_MS;
  const { periods } = await readPeriods(deps);
  const until = new Date(at).toISOString();
  const { workflowId } = wanted;
  if (workflowId !== undefined) {
    if ((await findWorkflow(deps.db, workflowId)) === null) throw notFound("workflow", workflowId);
    const due = { periods: withDefaults(wanted, periods), at };
    const rows = await countDueOfWorkflow(deps.db, workflowId, due, RETENTION_COUNT_MAX + 1);
    return { kinds: [{ kind: "executions", due: bounded(rows) }], at: until };
  }
  const given = Object.fromEntries(Object.entries(wanted).filter(([, days]) => days !== undefined));
  const due = await countDueBy(deps, { ...periods, ...given }, at);
  return {
    kinds: [...due].map(([kind, rows]) => ({ kind, due: rows })),
    at: until,
  };
}
