import { PAGE_SIZE_MAX } from "../../../../schema/limits.ts";
import { useAll } from "../../../api/use-all.ts";
import { useCan } from "../../../app/session.tsx";
import { connections } from "../../../strings/en/connections.ts";

export interface Names {
  /** By id; empty when the person may not read the names. */
  byId: ReadonlyMap<string, string>;
  /** All names are read: an id without a name was deleted. */
  isWhole: boolean;
}

/** The email addresses of people by id, for administrators. */
export function usePeople(): Names & { mayRead: boolean } {
  const mayRead = useCan("admin");
  const users = useAll("/api/v1/automation/users", { query: { limit: PAGE_SIZE_MAX } }, { enabled: mayRead });
  return { mayRead, isWhole: users.isWhole, byId: new Map(users.items?.map(({ id, email }) => [id, email])) };
}

export function useWorkflowNames(): Names {
  const workflows = useAll("/api/v1/automation/workflows", { query: { limit: PAGE_SIZE_MAX } });
  return { isWhole: workflows.isWhole, byId: new Map(workflows.items?.map(({ id, name }) => [id, name])) };
}

/** The name for an id. A deleted id is marked as unknown. */
export function nameOf(id: string, { byId, isWhole }: Names): string {
  return byId.get(id) ?? (isWhole ? connections.usableBy.unknown(id) : id);
}
