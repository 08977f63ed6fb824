import { useRoute } from "wouter";

/** The id of the edited workflow, from the page's address; null for a new workflow. */
export function useWorkflowId(): string | null {
  const [, params] = useRoute("/workflows/:id/edit");
  return params?.id ?? null;
}
