import type { JsonObject } from "../../../../schema/contract/json.ts";
import type { Scope } from "./scope.ts";

/** What a graph gives back: the outputs of the nodes that succeeded and that nothing followed, by node id. */
export function endOutputs(scope: Scope): JsonObject {
  const outputs: JsonObject = {};
  for (const { node, outgoing } of scope.index.nodes.values()) {
    const { status, output } = scope.run(node.id);
    if (status !== "succeeded" || output === null) continue;
    if (!outgoing.some((edge) => scope.takes(edge))) outputs[node.id] = output;
  }
  return outputs;
}
