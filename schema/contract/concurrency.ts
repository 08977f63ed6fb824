import { z } from "zod";
import { QUEUED_RUNS_DEFAULT, QUEUED_RUNS_MAX } from "../limits.ts";

/** What a start does while another run of the workflow with the same key is open (docs/design/workflows.md#concurrency). */
export const concurrencyModeSchema = z
  .enum(["allow", "queue", "skip", "cancelPrevious"])
  .describe(
    "`allow`: it runs beside the other. `queue`: it waits for its turn. `skip`: it ends as cancelled without having begun. " +
      "`cancelPrevious`: the newest event wins. The older run ends, and this one begins then; an unsafe action that runs is not stopped.",
  );
export type ConcurrencyMode = z.infer<typeof concurrencyModeSchema>;

export const concurrencySchema = z.strictObject({
  mode: concurrencyModeSchema,
  key: z
    .string()
    .min(1)
    .max(1_024)
    .optional()
    .describe(
      "A text with templates of the trigger, such as `{{incident.service}}`: one run for each value. Without it, one run of the workflow.",
    ),
  maxQueued: z
    .int()
    .min(1)
    .max(QUEUED_RUNS_MAX)
    .optional()
    .describe(
      `For \`queue\`: how many runs may wait for each key; ${QUEUED_RUNS_DEFAULT} by default. A further run ends with \`queue_full\`.`,
    ),
});
export type Concurrency = z.infer<typeof concurrencySchema>;
