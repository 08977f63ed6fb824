import { effectOf } from "../../../../schema/contract/action.ts";
import type { ActionNode } from "../../../../schema/contract/workflow.ts";
import type { NodeRun } from "../../../domain/execution-state.ts";
import type { JobReport } from "../../../domain/job-order.ts";

/**
 * When the next attempt begins (epoch ms); null when there is none. A job whose outcome is unknown is tried again only
 * when running it twice does no harm (invariant 5). Parameters are looked at as they were written: a method that is a
 * template counts as unsafe.
 */
export function retryAt(node: ActionNode, run: NodeRun, report: JobReport, now: number): number | null {
  const { retry } = node;
  if (retry === undefined || run.attempt >= retry.maxAttempts) return null;
  if (report.status === "cancelled" || report.status === "succeeded") return null;
  if (report.lost && effectOf(node.action, node.params) === "unsafe") return null;
  return now + Math.ceil(retry.backoffSeconds * 1_000);
}
