import { z } from "zod";

/** Publishing the draft, or an existing version again. */
export const publishWorkflowSchema = z.strictObject({
  message: z.string().trim().max(1_000).optional().describe("Why: kept with a new version."),
  versionId: z
    .string()
    .max(64)
    .optional()
    .describe(
      "A version of this workflow to publish again. An earlier one is copied to a new version. Without it, the draft is published.",
    ),
});
