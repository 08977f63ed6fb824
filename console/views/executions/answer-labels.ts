import type { NodeRunView } from "../../../schema/contract/execution.ts";
import { actorLabel } from "../../ui/actor-label.ts";
import { objectOf } from "../../../schema/contract/json-object.ts";

/** How an approval was answered and by whom, or how it ended without an answer. */
export function answerLabel({ output, status }: Pick<NodeRunView, "output" | "status">): string {
  const answer = objectOf(output);
  const { decision, by } = answer;
  if (decision === "approved" || decision === "rejected") {
    return typeof by === "string" ? `${decision} meanwhile by ${actorLabel(by)}` : `${decision} meanwhile`;
  }
  return status === "timed_out" ? "timed out" : "no longer waiting";
}
