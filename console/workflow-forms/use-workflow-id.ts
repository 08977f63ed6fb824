import { useRoute } from "wouter";

/** The workflow whose draft the page edits, as its address says; null for one that is not saved yet. */
export function useWorkflowId(): string | null {
  const [, params] = useRoute("/workflows/:id/edit");
  return params?.id ?? null;
}
