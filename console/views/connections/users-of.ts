import "../../api/zod-config.ts";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { connectionsNamedBy, graphsOf } from "../../../worker/domain/graph/walk.ts";

/** A workflow whose steps name a connection. */
export interface WorkflowUse {
  id: string;
  name: string;
  published: boolean;
  active: boolean;
}

/** The workflows that use each connection, by the connection's id. Drafts count, published versions do not. */
export function usersOf(workflows: readonly WorkflowView[]): Map<string, WorkflowUse[]> {
  const users = new Map<string, WorkflowUse[]>();
  for (const { id, name, published, active, definition } of workflows) {
    const named = graphsOf(definition).flatMap(({ graph }) =>
      graph.nodes.flatMap((node) => (node.type === "action" ? connectionsNamedBy(node) : [])),
    );
    for (const connectionId of new Set(named)) {
      users.set(connectionId, [...(users.get(connectionId) ?? []), { id, name, published, active }]);
    }
  }
  return users;
}
