import { z } from "zod";
import { workflowInputSchema } from "./management.ts";
import { draftDefinitionSchema, draftTriggerSchema } from "./workflow-draft.ts";

/** A workflow that may have problems: the types and sizes of a complete one, and a name by which people find it. */
export const workflowDraftSchema = workflowInputSchema.extend({
  trigger: draftTriggerSchema,
  definition: draftDefinitionSchema,
});

/** The body of a save. */
export const saveWorkflowSchema = z.union([
  workflowInputSchema.extend({ draft: z.literal(false).optional() }),
  workflowDraftSchema.extend({
    draft: z.literal(true).describe("Stores the workflow even with problems, and answers with them."),
  }),
]);
