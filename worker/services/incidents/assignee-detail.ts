import type { JsonObject } from "../../../schema/contract/json.ts";
import type { Assignee } from "../../domain/incident/index.ts";

/** A new assignee in the audit log: only the given fields. */
export function assigneeDetail({ teamId, assignedTo }: Assignee): JsonObject {
  return { ...(teamId === undefined ? {} : { teamId }), ...(assignedTo === undefined ? {} : { assignedTo }) };
}
