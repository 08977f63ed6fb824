import type { ExecutionState } from "../../domain/execution-state.ts";
import type { Deps } from "../../services/deps.ts";
import { findWithdrawal } from "../../store/withdrawn-runs.ts";
import type { Withdrawal } from "../../store/withdrawn-runs.ts";
import type { RunEvent } from "./engine/types.ts";

/** The event that ends an execution which waits although nothing starts it now; null for any other. */
export async function withdrawnEvent(
  deps: Deps,
  { id, hold }: Pick<ExecutionState, "id" | "hold">,
  { byPerson }: { byPerson: boolean },
): Promise<Extract<RunEvent, { type: "refused" }> | null> {
  const withdrawal = hold === null ? null : await findWithdrawal(deps.db, id);
  if (withdrawal === null || (byPerson && withdrawal === "deactivated")) return null;
  const message = `The workflow was ${withdrawal} before this run began. ${NEXT[withdrawal]}`;
  return { type: "refused", status: "cancelled", error: { code: `workflow_${withdrawal}`, message } };
}

const NEXT = {
  deleted: "Within 24 hours, you can restore the workflow and then retry this run.",
  unpublished: "To run it, publish the workflow and retry this run.",
  deactivated: "To run it, retry this run.",
} as const satisfies Record<Withdrawal, string>;
