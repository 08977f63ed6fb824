import type { NodeRunView } from "../../../schema/contract/execution.ts";
import type { Node } from "../../../schema/contract/workflow.ts";
import { nodeTitle } from "../../graph/describe-node.ts";
import type { IterationPath } from "./iterations.ts";
import { executionSteps as text } from "../../strings/en/execution-steps.ts";

/** The name of a step for people. The node is null when the version that ran was deleted. */
export function stepTitle(node: Node | null, { nodeId }: Pick<NodeRunView, "nodeId">): string {
  return node === null ? nodeId : nodeTitle(node);
}

/** The item of each forEach around a step, counted from 1: ", item 2", or ", item 2.1" inside of two. */
export function itemLabel(path: IterationPath = []): string {
  return path.length === 0 ? "" : text.inItem(path.map((index) => index + 1).join("."));
}

/** The address at which the page of an execution shows this step. */
export function stepAddress(
  executionId: string,
  { nodeId, iteration = [] }: Pick<NodeRunView, "nodeId" | "iteration">,
): string {
  const query = new URLSearchParams({ node: nodeId });
  if (iteration.length > 0) query.set("iteration", iteration.join("."));
  return `/executions/${executionId}?${query.toString()}`;
}
