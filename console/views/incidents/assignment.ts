import type { IncidentView } from "../../../schema/contract/incident.ts";

type Assigned = Pick<IncidentView, "teamId" | "assignedTo">;

/** The changed fields only: null clears a field, and an absent field keeps its present value. */
export function assignmentChange(before: Assigned, typed: { teamId: string; assignedTo: string }): Partial<Assigned> {
  const [teamId, assignedTo] = [orNull(typed.teamId), orNull(typed.assignedTo)];
  return {
    ...(teamId === before.teamId ? {} : { teamId }),
    ...(assignedTo === before.assignedTo ? {} : { assignedTo }),
  };
}

function orNull(text: string): string | null {
  return text.trim() === "" ? null : text.trim();
}
