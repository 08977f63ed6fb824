import { z } from "zod";
import { deleteQuerySchema } from "./management.ts";

export const deleteWorkflowQuerySchema = deleteQuerySchema.extend({
  executions: z
    .enum(["keep", "delete"])
    .optional()
    .describe(
      "What becomes of its ended executions once it can no longer be restored: `delete` (the default) deletes them, `keep` leaves them to retention.",
    ),
});
