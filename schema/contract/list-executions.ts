import { z } from "zod";
import { executionStatusSchema, executionTriggerTypeSchema } from "./execution.ts";
import { cursor } from "./management.ts";
import { NO_SPAN, isSpan, limit } from "./query.ts";

/** The statuses that a list filters by. */
const listedStatusSchema = z.enum([...executionStatusSchema.options, "waiting"]);
export type ListedStatus = z.infer<typeof listedStatusSchema>;
export const listExecutionsQuerySchema = z
  .object({
    workflowId: z.string().max(64).optional().describe("Only executions of this workflow."),
    status: listedStatusSchema
      .optional()
      .describe(
        "Only executions with this status; `waiting`: running ones with a step that waits, as `isWaiting` says. If many run, a page can have fewer of them than `limit`: `nextCursor` leads to the others.",
      ),
    trigger: executionTriggerTypeSchema.optional().describe("Only executions that this kind of trigger started."),
    from: z.iso.datetime({ offset: true }).optional().describe("Started then or later."),
    to: z.iso.datetime({ offset: true }).optional().describe("Started then or earlier."),
    limit,
    cursor,
  })
  .refine(isSpan, NO_SPAN);
