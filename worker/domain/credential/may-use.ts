import type { Role } from "../../../schema/contract/people.ts";
import type { UsableBy } from "../../../schema/contract/usable-by.ts";
import type { JobOrder } from "../job-order.ts";
import { rolePermissions } from "../token-permissions.ts";

/** A person and their role now; null for a token without an owner, and for a person without access. */
export interface Who {
  readonly person: string | null;
  readonly role: Role | null;
}

/** Whether a person may use a connection, by name or by role. `usableBy` is null when everyone may. */
export function mayUse(usableBy: UsableBy | null, { person, role }: Who): boolean {
  if (usableBy === null) return true;
  if (person !== null && usableBy.people.includes(person)) return true;
  return role !== null && usableBy.roles.includes(role);
}

/** Whether the connection lists the workflow, so that its publisher does not matter. */
export function isUsableIn(usableBy: UsableBy | null, workflowId: string | null): boolean {
  return usableBy === null || (workflowId !== null && usableBy.workflows.includes(workflowId));
}

/**
 * Whether a job may run on a connection now. `roleOf` returns a person's current role, null for a disabled or deleted
 * person. People who may set `usableBy` may also run a test.
 */
export function mayRun(
  usableBy: UsableBy | null,
  { kind, workflowId, onBehalfOf = null }: Pick<JobOrder, "kind" | "workflowId" | "onBehalfOf">,
  roleOf: (person: string) => Role | null,
): boolean {
  if (isUsableIn(usableBy, workflowId)) return true;
  const role = onBehalfOf === null ? null : roleOf(onBehalfOf);
  if (role === null) return false;
  const maySetIt = rolePermissions(role).has("credentials:write");
  return mayUse(usableBy, { person: onBehalfOf, role }) || (kind === "connectionTest" && maySetIt);
}
