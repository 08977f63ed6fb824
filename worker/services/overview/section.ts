import type { Definition } from "../../../schema/contract/workflow.ts";
import { graphsOf } from "../../domain/graph/walk.ts";

/** The first items; the query reads one row more than `limit`, which says whether there are others. */
export function toSection<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
): { items: Item[]; more: boolean } {
  return { items: rows.slice(0, limit).map(toItem), more: rows.length > limit };
}

export function toIso(at: number): string {
  return new Date(at).toISOString();
}

/** The place of a node run, with its node's name. */
export function placeOf(
  { nodeId, iterationPath }: { nodeId: string; iterationPath: string },
  definition: Definition,
): { nodeId: string; nodeName: string; iteration?: number[] } {
  const nodes = graphsOf(definition).flatMap(({ graph }) => graph.nodes);
  const nodeName = nodes.find(({ id }) => id === nodeId)?.name ?? nodeId;
  return { nodeId, nodeName, ...(iterationPath === "" ? {} : { iteration: iterationPath.split(".").map(Number) }) };
}
