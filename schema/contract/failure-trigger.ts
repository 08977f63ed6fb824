import { z } from "zod";
import { workflowTagsSchema } from "./workflow-tags.ts";

/** Starts a workflow when a run of another one has failed (docs/design/workflows.md#failure-workflows). */
export const failureTriggerSchema = z.strictObject({
  type: z.literal("failure"),
  tags: workflowTagsSchema
    .min(1)
    .optional()
    .describe("Only after runs of workflows with one of these tags. Absent: after runs of every workflow."),
});
export type FailureTrigger = z.infer<typeof failureTriggerSchema>;
