import { z } from "zod";
import { jsonObjectSchema } from "../../../../schema/contract/json.ts";

/** The standard input of the process that runs a statement, as one JSON text. */
export const requestSchema = z.object({
  file: z.string(),
  readOnly: z.boolean(),
  /** Null: only the file is checked. The answer has one row with the file's size in `bytes`. */
  text: z.string().nullable(),
  parameters: z.array(z.object({ name: z.string(), value: z.union([z.string(), z.number(), z.boolean(), z.null()]) })),
  maxRows: z.number(),
  /** How long to wait for a lock of another program. */
  busyTimeoutMs: z.number(),
  /** When the process ends itself, if the agent has not ended it. */
  timeLimitMs: z.number(),
});
export type SqliteRequest = z.infer<typeof requestSchema>;

/** Written to standard error before the process ends itself for lack of memory. */
export const MEMORY_MARK = "bellhop: too much memory";

/** The standard output of the process. `code` is SQLite's error code, or one of ours in lower case. */
export const replySchema = z.union([
  z.object({
    result: z.object({
      rows: z.array(jsonObjectSchema),
      columns: z.array(z.string()),
      rowCount: z.number(),
      truncated: z.boolean(),
    }),
  }),
  z.object({ error: z.object({ code: z.string(), message: z.string() }) }),
]);
export type SqliteReply = z.infer<typeof replySchema>;
