import { actorName } from "../../../domain/actor-name.ts";
import type { Decision, NodeRun } from "../../../domain/execution-state.ts";
import type { Draft } from "./draft.ts";
import { fail } from "./end-node.ts";
import { isAskingForLimit } from "./limits.ts";
import { startAction } from "./start-action.ts";

const MESSAGE_MAX_CHARS = 10_000;

/** One answer holds for the whole run, so for all of its actions that wait for it. */
export function answerLimit(
  draft: Draft,
  { decision, by, comment }: Pick<Decision, "decision" | "by" | "comment">,
): void {
  const { limits } = draft;
  if (decision === "approved" && limits !== null) draft.limits = { ...limits, reserved: true };
  for (const run of draft.runs) {
    const scope = draft.scopeOf(run);
    const { node } = scope.node(run.nodeId);
    if (node.type !== "action" || !isAskingForLimit(run)) continue;
    if (decision === "approved") {
      scope.update(node.id, { output: null });
      startAction(scope, node);
      continue;
    }
    const said = comment === null ? "" : ` "${comment}"`;
    const message = `Rejected by ${actorName(by)}.${said} ${limitOf(run)}`.slice(0, MESSAGE_MAX_CHARS);
    fail(scope, node.id, { status: "failed", error: { code: "limit_reached", message } });
  }
}

function limitOf({ output }: NodeRun): string {
  const limit = typeof output === "object" && output !== null && "limit" in output ? output["limit"] : "";
  return typeof limit === "string" ? limit : "";
}
