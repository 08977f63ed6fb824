import type { WorkflowView } from "../../../schema/contract/management.ts";
import { changeWebhookSchema } from "../../../schema/contract/webhook-delivery.ts";
import type { Deps } from "../deps.ts";
import { parseInput } from "../parse.ts";
import { ProblemError } from "../problem.ts";
import { changeAndShow } from "./change-and-show.ts";

/** Changes the settings of a workflow's webhook that leave its key and secret. */
export async function changeWebhook(deps: Deps, actor: string, id: string, input: unknown): Promise<WorkflowView> {
  const { requestsPerMinute } = parseInput(changeWebhookSchema, input);
  return changeAndShow(deps, id, (row) => {
    if (row.webhookKey === null) {
      throw new ProblemError("conflict", "This workflow has no webhook key. Create one first.");
    }
    if (row.webhookRequestsPerMinute === requestsPerMinute) return null;
    const detail = { name: row.name, requestsPerMinute };
    return {
      changes: { webhookRequestsPerMinute: requestsPerMinute },
      audit: { actor, verb: "webhook-rate", detail },
    };
  });
}
