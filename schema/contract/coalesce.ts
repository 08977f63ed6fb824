import { z } from "zod";
import { BATCH_EVENTS_MAX, COALESCE_WINDOW_MAX_SECONDS } from "../limits.ts";

/** Which incident events start one run together (docs/design/workflows.md#coalescing). */
export const coalesceSchema = z
  .strictObject({
    windowSeconds: z
      .int()
      .min(1)
      .max(COALESCE_WINDOW_MAX_SECONDS)
      .describe("How long the first event waits for further ones; the run begins then."),
    key: z
      .string()
      .min(1)
      .max(1_024)
      .optional()
      .describe(
        "A text with templates of the incident, such as `{{incident.service}}`: one run for each value. Without it, one run of the workflow.",
      ),
  })
  .describe(
    `Events with the same key within the window start one run, which has all of them in \`incident.batch\`. With ${BATCH_EVENTS_MAX} events or 1 MiB it begins at once, and the next event opens another window.`,
  );
export type Coalesce = z.infer<typeof coalesceSchema>;
