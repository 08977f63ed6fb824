import type { Failure } from "../../../../schema/contract/problem.ts";
import { actorName } from "../../../domain/actor-name.ts";
import type { Decision, NodeRun } from "../../../domain/execution-state.ts";
import type { Draft } from "./draft.ts";
import { fail } from "./end-node.ts";
import { isAskingForLimit } from "./limits.ts";
import { startAction } from "./start-action.ts";

const MESSAGE_MAX_CHARS = 10_000;

/** One answer holds for the whole run: for all of its actions that wait for it, and for those that come later. */
export function answerLimit(
  draft: Draft,
  { decision, by, comment }: Pick<Decision, "decision" | "by" | "comment">,
): void {
  const { limits } = draft;
  const asking = [...draft.runs].filter((run) => isAskingAction(draft, run));
  const rejection = decision === "approved" ? null : rejectionOf(asking, by, comment);
  if (limits !== null) {
    draft.limits = rejection === null ? { ...limits, reserved: true } : { ...limits, rejected: rejection };
  }
  for (const run of asking) {
    const scope = draft.scopeOf(run);
    const { node } = scope.node(run.nodeId);
    if (node.type !== "action") continue;
    if (rejection !== null) fail(scope, node.id, { status: "failed", error: rejection });
    else {
      scope.update(node.id, { output: null });
      startAction(scope, node);
    }
  }
}

function isAskingAction(draft: Draft, run: NodeRun): boolean {
  return isAskingForLimit(run) && draft.scopeOf(run).node(run.nodeId).node.type === "action";
}

function rejectionOf([first]: readonly NodeRun[], by: string, comment: string | null): Failure {
  const said = comment === null ? "" : ` "${comment}"`;
  const limit = first === undefined ? "" : limitOf(first);
  return {
    code: "limit_reached",
    message: `Rejected by ${actorName(by)}.${said} ${limit}`.slice(0, MESSAGE_MAX_CHARS),
  };
}

function limitOf({ output }: NodeRun): string {
  const limit = typeof output === "object" && output !== null && "limit" in output ? output["limit"] : "";
  return typeof limit === "string" ? limit : "";
}
