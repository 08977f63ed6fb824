import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import type { NodeRun } from "../../worker/domain/execution-state.ts";
import { Engine, edges } from "./engine.ts";

/** A forEach over `{{webhook.items}}`. */
export function loop(body: readonly JsonObject[], more: JsonObject = {}, bodyEdges = edges()): JsonObject {
  return {
    id: "loop",
    type: "forEach",
    items: "{{webhook.items}}",
    body: { nodes: [...body], edges: bodyEdges.map((edge) => ({ ...edge })) },
    ...more,
  };
}

export function over(items: JsonValue | undefined, nodes: readonly JsonObject[], graphEdges = edges()): Engine {
  const variables: JsonObject = items === undefined ? {} : { items };
  return Engine.start(nodes, graphEdges, { trigger: { type: "webhook", variables } });
}

/** A node run of one iteration. */
export function runAt(engine: Engine, nodeId: string, ...path: number[]): NodeRun {
  const found = engine.state.nodeRuns.find((run) => run.nodeId === nodeId && run.path.join() === path.join());
  if (found === undefined) throw new Error(`no run of ${nodeId} at ${path.join()}`);
  return found;
}

export function endAt(engine: Engine, nodeId: string, path: number[], failed = false): void {
  const { jobId, attempt } = runAt(engine, nodeId, ...path);
  const report = engine.report("loop", { jobId: jobId ?? "", attempt, output: { stdout: `${nodeId} ${path.join()}` } });
  engine.apply({
    type: "jobFinished",
    report: failed ? { ...report, status: "failed", error: { code: "nonzero_exit", message: "It failed." } } : report,
  });
}

export const begun = (engine: Engine, nodeId: string) =>
  engine.state.nodeRuns.filter((run) => run.nodeId === nodeId).map((run) => run.path[0]);
