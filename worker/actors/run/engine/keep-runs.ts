import type { Definition } from "../../../../schema/contract/workflow.ts";
import { isRootHandler } from "../../../domain/graph/graph-index.ts";
import type { ExecutionState, NodeRun } from "../../../domain/execution-state.ts";
import type { Scope } from "./draft.ts";
import { readOnlyDraft } from "./read-only-draft.ts";
import { enteredBy, hasFailed, isHandled, unhandledFailure } from "./unhandled-failure.ts";

/**
 * The node runs that a retry from the failed node copies from a finished execution: everything that succeeded, branches
 * that were not taken, and handled failures. Unhandled failures run again, with everything behind them. A failed forEach keeps its
 * succeeded iterations, unless a node before it runs again and may change its list. `newId` gets the node run that the
 * new one copies.
 */
export function keptRuns(definition: Definition, state: ExecutionState, newId: (from: NodeRun) => string): NodeRun[] {
  // A restore has ended it before it began.
  if (state.nodeRuns.length === 0) return [];
  const draft = readOnlyDraft(definition, { ...state, status: "running" });
  const { root } = draft;
  const failed = [...root.runs()].filter((run) => hasFailed(run) && !isHandled(root, run)).map((run) => run.nodeId);
  const due = [...root.runs()].filter((run) => run.status === "skipped" && isDue(root, run)).map((run) => run.nodeId);
  const behind = runsAgain(root, [...failed, ...due]);
  const again = new Set([...failed, ...due, ...behind]);
  const kept = [...root.runs()].filter((run) => !again.has(run.nodeId) && (isSettled(run) || hasFailed(run)));
  const keptWhole = new Set(kept.map((run) => run.nodeId));
  const iterations = state.nodeRuns.filter(({ path, nodeId }) => {
    if (path.length === 0) return false;
    const [outermost] = draft.chainOf(nodeId);
    if (outermost === undefined) return false;
    if (keptWhole.has(outermost)) return true;
    const iteration = root.iteration(outermost, path[0] ?? -1);
    return failed.includes(outermost) && !behind.has(outermost) && succeeded(iteration);
  });
  return [...kept, ...iterations].map((run) => ({ ...run, id: newId(run), revision: 1 }));
}

/** Whether nothing in the graph says why a node was skipped: the execution never began, or ended before it. */
function isDue(root: Scope, { nodeId }: NodeRun): boolean {
  const node = root.node(nodeId);
  if (isRootHandler(node)) return false;
  return node.incoming.length === 0 || node.incoming.some((edge) => root.takes(edge));
}

/** Everything behind these failures. Also the handler and the nodes behind it, unless its failure is kept. */
function runsAgain(root: Scope, failed: readonly string[]): Set<string> {
  const reached = reachedFrom(root, failed);
  const { rootHandler, behindHandler } = root.index;
  if (rootHandler === null) return reached;
  const entered = enteredBy(root, rootHandler);
  if (entered !== null && !failed.includes(entered) && !reached.has(entered)) return reached;
  return new Set([...reached, ...behindHandler, ...reachedFrom(root, [...behindHandler])]);
}

function reachedFrom(root: Scope, starts: readonly string[]): Set<string> {
  const following = (id: string) => root.node(id).outgoing.map((edge) => edge.to);
  const reached = new Set(starts.flatMap(following));
  for (const id of reached) for (const next of following(id)) reached.add(next);
  return reached;
}

function isSettled({ status }: NodeRun): boolean {
  return status === "succeeded" || status === "skipped";
}

function succeeded(iteration: Scope | undefined): boolean {
  return iteration !== undefined && iteration.over && unhandledFailure(iteration) === null;
}
