import type { Role } from "../../../schema/contract/people.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import type { Definition } from "../../../schema/contract/workflow.ts";
import { isApprover } from "../may-answer.ts";
import { rolePermissions } from "../token-permissions.ts";
import { graphsOf } from "./walk.ts";

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
}

/** Whether a definition has an approval with a rule about its approvers. */
export function limitsApprovers(definition: Definition): boolean {
  return graphsOf(definition).some(({ graph }) =>
    graph.nodes.some((node) => node.type === "approval" && (node.by !== undefined || node.approvers !== undefined)),
  );
}

/**
 * The approvals that fewer than two of these people could answer, each with its path: one person may be away, or have
 * started the execution.
 */
export function approverWarnings(definition: Definition, people: readonly Person[]): FieldError[] {
  const permitted = people.filter(({ role }) => rolePermissions(role).has("automation:approve"));
  return graphsOf(definition).flatMap(({ graph, at }) =>
    graph.nodes.flatMap((node, index): FieldError[] => {
      if (node.type !== "approval" || (node.by === undefined && node.approvers === undefined)) return [];
      const able = permitted.filter(({ id, role }) => isApprover(node, { person: id, role }));
      const path = `${at}nodes.${index}.${node.approvers === undefined ? "by" : "approvers"}`;
      const [only, ...others] = able;
      if (only === undefined) {
        return [{ path, message: "no enabled user can answer this approval: name other people or roles" }];
      }
      if (others.length > 0) return [];
      const butNot = node.by === undefined ? "" : ", and not after starting or changing it";
      const message = `only ${only.email} can answer this approval${butNot}: let a second person approve`;
      return [{ path, message }];
    }),
  );
}
