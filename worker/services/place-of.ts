import type { Definition } from "../../schema/contract/workflow.ts";
import { graphsOf } from "../domain/graph/walk.ts";

/** The place of a node run, with its node's name. */
export function placeOf(
  { nodeId, iterationPath }: { nodeId: string; iterationPath: string },
  definition: Definition,
): { nodeId: string; nodeName: string; iteration?: number[] } {
  const nodes = graphsOf(definition).flatMap(({ graph }) => graph.nodes);
  const nodeName = nodes.find(({ id }) => id === nodeId)?.name ?? nodeId;
  return { nodeId, nodeName, ...(iterationPath === "" ? {} : { iteration: iterationPath.split(".").map(Number) }) };
}
