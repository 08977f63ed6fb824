import type { WorkflowView } from "../../../schema/contract/management.ts";

type Seen = Pick<WorkflowView, "id" | "name" | "active" | "published" | "trigger">;

/** The workflows that a new incident may start. A workflow without conditions starts for every incident. */
export function startedByNewIncidents(
  workflows: readonly Seen[],
): { id: string; name: string; isUnconditional: boolean }[] {
  return workflows.flatMap(({ id, name, active, published, trigger }) => {
    if (!active || !published || trigger.type !== "incident" || !trigger.events.includes("incident.created")) return [];
    return [{ id, name, isUnconditional: (trigger.conditions?.conditions.length ?? 0) === 0 }];
  });
}
