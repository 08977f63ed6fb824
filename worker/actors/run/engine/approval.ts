import type { Approved } from "../../../../schema/contract/approval.ts";
import { canonicalJson } from "../../../../schema/contract/json.ts";
import type { ApprovalNode } from "../../../../schema/contract/workflow.ts";
import { actorName } from "../../../domain/actor-name.ts";
import type { Decision } from "../../../domain/execution-state.ts";
import { renderText } from "../../../domain/render-data.ts";
import { answerLimit } from "./answer-limit.ts";
import type { Draft, Scope } from "./draft.ts";
import { fail, succeed } from "./end-node.ts";
import { isAskingForLimit } from "./limits.ts";
import { resolverOf } from "./resolve.ts";

const MESSAGE_MAX_CHARS = 10_000;

/** Begins to wait for a person. The output shows the question until a person answers. */
export function startApproval(scope: Scope, node: ApprovalNode): void {
  const { now } = scope.draft;
  scope.update(node.id, {
    status: "waiting",
    output: { message: renderText(node.message, resolverOf(scope, node.id)).slice(0, MESSAGE_MAX_CHARS) },
    wakeAt: node.timeoutSeconds === undefined ? null : now + node.timeoutSeconds * 1_000,
    timeline: { ...scope.run(node.id).timeline, queuedAt: now, startedAt: now },
  });
}

/**
 * Ends an approval by a person's answer, or answers for an action that waits because of a limit. An approval that does not wait does not change. "Rejected" leaves by its edge;
 * without such an edge it is a failure, so that the missing approval shows.
 */
export function decide(draft: Draft, { nodeRunId, decision, by, comment, approved }: Decision): void {
  for (const run of draft.runs) {
    if (run.id !== nodeRunId) continue;
    const scope = draft.scopeOf(run);
    const { node, outgoing } = scope.node(run.nodeId);
    if (node.type === "action" && isAskingForLimit(run)) return answerLimit(draft, { decision, by, comment });
    if (node.type !== "approval" || run.status !== "waiting") return;
    if (run.wakeAt !== null && run.wakeAt <= draft.now) return expireApproval(scope, node);
    const output = { ...asked(run.output), decision, by, comment, at: new Date(draft.now).toISOString() };
    if (decision === "approved") {
      const { by: others, approvers } = node;
      draft.approved = renewed(draft.approved, { ...approved, at: draft.now, by: others, approvers });
    }
    if (decision === "approved" || outgoing.some((edge) => edge.on === "rejected")) {
      return succeed(scope, node.id, { outcome: decision, output });
    }
    const said = comment === null ? "" : ` "${comment}"`;
    return fail(scope, node.id, {
      status: "failed",
      outcome: "rejected",
      output,
      error: { code: "approval_rejected", message: `Rejected by ${actorName(by)}.${said}`.slice(0, MESSAGE_MAX_CHARS) },
    });
  }
}

/**
 * The approval that holds after a further one: the newer, unless the former was restricted to other answerers. A person
 * who may not answer the former could otherwise change a target and answer the newer one.
 */
export function renewed(former: Approved | null, now: Approved): Approved {
  const { by, approvers } = now;
  const isOpen = former === null || (former.by === undefined && former.approvers === undefined);
  const isSame = former?.by === by && canonicalJson({ ...former?.approvers }) === canonicalJson({ ...approvers });
  return isOpen || isSame ? now : former;
}

/** The time is over without an answer: the node leaves as rejected, and fails where no edge takes that. */
export function expireApproval(scope: Scope, node: ApprovalNode): void {
  fail(scope, node.id, {
    status: "timed_out",
    outcome: "rejected",
    output: { ...asked(scope.run(node.id).output), decision: "expired", by: null, comment: null },
    error: {
      code: "approval_expired",
      message: `No one answered within ${node.timeoutSeconds ?? 0} s. Run the workflow again, or raise timeoutSeconds.`,
    },
  });
}

function asked(output: unknown): { message: string } {
  const message = typeof output === "object" && output !== null && "message" in output ? output.message : "";
  return { message: typeof message === "string" ? message : "" };
}
