import { PAGE_SIZE_MAX } from "../../../../schema/limits.ts";
import { useAll } from "../../../api/use-all.ts";
import { useCan } from "../../../app/session.tsx";

export interface Names {
  /** By id; empty where the names may not be read. */
  byId: ReadonlyMap<string, string>;
  /** Every name is there: an id without one belongs to what was deleted. */
  isWhole: boolean;
}

/** The e-mail addresses of people by id, for those who may see them. */
export function usePeople(): Names & { mayRead: boolean } {
  const mayRead = useCan("admin");
  const users = useAll("/api/v1/automation/users", { query: { limit: PAGE_SIZE_MAX } }, { enabled: mayRead });
  return { mayRead, isWhole: users.isWhole, byId: new Map(users.items?.map(({ id, email }) => [id, email])) };
}

export function useWorkflowNames(): Names {
  const workflows = useAll("/api/v1/automation/workflows", { query: { limit: PAGE_SIZE_MAX } });
  return { isWhole: workflows.isWhole, byId: new Map(workflows.items?.map(({ id, name }) => [id, name])) };
}

/** What to call an id. One of something that was deleted is said to be unknown. */
export function nameOf(id: string, { byId, isWhole }: Names): string {
  return byId.get(id) ?? (isWhole ? `${id} (unknown)` : id);
}
