import { graphsOf } from "../../domain/graph/walk.ts";
import type { ExecutionRow, NodeRunRow } from "../../store/execution-reads.ts";
import type { Deps } from "../deps.ts";
import { definitionOf } from "./version-of.ts";
import { answererLabel, excludedFrom } from "./answerers.ts";
import { runnableNow } from "./run-snapshot.ts";

/** The people who may answer each waiting approval among these node runs, as the text after "someone's approval". */
export async function answerersOf(
  deps: Deps,
  row: ExecutionRow,
  runs: readonly { run: NodeRunRow }[],
): Promise<ReadonlyMap<string, string>> {
  const labels = new Map<string, string>();
  const waiting = new Set(runs.flatMap(({ run }) => (run.status === "waiting" ? [run.nodeId] : [])));
  if (waiting.size === 0) return labels;
  const definition = await definitionOf(deps, row.versionId);
  const excluded = once(async () => excludedFrom(deps, row, await runnableNow(deps, row)));
  for (const node of graphsOf(definition).flatMap(({ graph }) => graph.nodes)) {
    if (node.type !== "approval" || !waiting.has(node.id)) continue;
    labels.set(node.id, await answererLabel(deps, node, excluded));
  }
  return labels;
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= read());
}
