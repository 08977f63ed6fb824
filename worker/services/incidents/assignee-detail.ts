import type { JsonObject } from "../../../schema/contract/json.ts";
import type { Assignee } from "../../domain/incident/index.ts";

/** What the audit log shows of a new assignee: what was given. */
export function assigneeDetail({ teamId, assignedTo }: Assignee): JsonObject {
  return { ...(teamId === undefined ? {} : { teamId }), ...(assignedTo === undefined ? {} : { assignedTo }) };
}
