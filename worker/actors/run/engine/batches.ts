import type { Failure } from "../../../../schema/contract/problem.ts";
import type { ForEachNode } from "../../../../schema/contract/workflow.ts";
import { evaluateConditions } from "../../../domain/condition.ts";
import { ownValue } from "../../../domain/own-value.ts";
import { outsideCheck } from "../../../domain/outside-check.ts";
import { TemplateFailure } from "../../../domain/template/failure.ts";
import { outputValue } from "../../../domain/template/output-json.ts";
import type { Scope } from "./draft.ts";
import { resultsOf } from "./end-outputs.ts";
import { resolverOf } from "./resolve.ts";

interface Next {
  /** The item that would begin. */
  readonly index: number;
  readonly total: number;
  /** Iterations that run. */
  readonly open: number;
}

/**
 * Whether an item of a forEach may begin: its batch has begun, or begins now, after the pause and the check. The first
 * batch needs neither. A retry that kept items goes through the batches of the others.
 */
export function enterBatch(scope: Scope, node: ForEachNode, next: Next): "enters" | "waits" | Failure {
  const { batchSize, pauseSeconds = 0 } = node;
  if (batchSize === undefined) return "enters";
  const { output, wakeAt } = scope.run(node.id);
  const current = ownValue(output ?? undefined, ["batch"]);
  const batch = Math.floor(next.index / batchSize) + 1;
  if (batch === current) return "enters";
  const batches = Math.ceil(next.total / batchSize);
  if (typeof current === "number") {
    if (next.open > 0) return "waits";
    // A time of a forEach that runs is the end of a pause that is over.
    if (pauseSeconds > 0 && wakeAt === null) {
      scope.update(node.id, { status: "waiting", wakeAt: scope.draft.now + pauseSeconds * 1_000 });
      return "waits";
    }
    const failure = checkFailure(scope, node, next.total, `batch ${batch} of ${batches}`);
    if (failure !== null) return failure;
  }
  scope.update(node.id, { wakeAt: null, output: { batch, batches } });
  return "enters";
}

/** Null when the check before a batch holds. */
function checkFailure(scope: Scope, node: ForEachNode, total: number, batch: string): Failure | null {
  if (node.check === undefined) return null;
  const { output } = resultsOf(scope, node, total);
  const outside = resolverOf(scope, node.id);
  try {
    const holds = evaluateConditions(node.check, (path) => {
      const outer = outsideCheck(path);
      return outer === null ? outputValue(output, path.slice(1)) : outside(outer);
    });
    if (holds) return null;
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error;
    return error.failure;
  }
  const { succeeded, failed, notStarted } = output;
  return {
    code: "check_failed",
    message: `The check before ${batch} is not met, so no further item begins: of ${total} items, ${succeeded} succeeded, ${failed} failed, and ${notStarted} were not started.`,
  };
}
