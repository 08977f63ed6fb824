import type { WorkflowView } from "../../../schema/contract/management.ts";

export type StateBefore = Pick<WorkflowView, "active" | "publishedVersionId">;

export type UndoStep =
  | { verb: "activate" | "deactivate" | "unpublish" }
  | { verb: "publish"; publish: { versionId: string } };

/** The calls that take a workflow from its state after a command back to the state before. */
export function undoSteps(before: StateBefore, after: StateBefore): UndoStep[] {
  const steps: UndoStep[] = [];
  if (before.active !== after.active) steps.push({ verb: before.active ? "activate" : "deactivate" });
  if (before.publishedVersionId !== after.publishedVersionId) {
    const versionId = before.publishedVersionId;
    steps.push(versionId === null ? { verb: "unpublish" } : { verb: "publish", publish: { versionId } });
  }
  return steps;
}
