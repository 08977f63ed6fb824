import { useQuery } from "@tanstack/react-query";
import { callPage } from "../../api/client.ts";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import type { WorkflowUse } from "./users-of.ts";

const PAGE_SIZE = 100;
const PAGES = 10;

export interface WorkflowUsers {
  byConnection: ReadonlyMap<string, readonly WorkflowUse[]>;
  /** How many workflows were searched. */
  looked: number;
  /** False: only the newest workflows were searched. */
  isComplete: boolean;
}

/** The workflows that use each connection. The service has no such list, so the console searches the workflows. */
export function useWorkflowUsers() {
  return useQuery<WorkflowUsers>({
    queryKey: ["/api/v1/automation/workflows", "users-of-connections"],
    queryFn: async ({ signal }) => {
      // The rule needs the schemas of all actions, so it is loaded only here.
      const rule = import("./users-of.ts");
      const workflows: WorkflowView[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < PAGES; page += 1) {
        const read: { items: WorkflowView[]; nextCursor: string | null } = await callPage(
          "/api/v1/automation/workflows",
          { query: { limit: PAGE_SIZE } },
          cursor,
          { signal },
        );
        workflows.push(...read.items);
        cursor = read.nextCursor;
        if (cursor === null) break;
      }
      const { usersOf } = await rule;
      return { byConnection: usersOf(workflows), looked: workflows.length, isComplete: cursor === null };
    },
    staleTime: 60_000,
  });
}
