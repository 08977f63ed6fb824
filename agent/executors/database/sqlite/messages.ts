import { z } from "zod";
import { jsonObjectSchema } from "../../../../schema/contract/json.ts";

/** What the agent writes to the standard input of the process that runs a statement, as one JSON text. */
export const requestSchema = z.object({
  file: z.string(),
  readOnly: z.boolean(),
  /** Null: the file is only looked at, and the one row of the answer has its size in `bytes`. */
  text: z.string().nullable(),
  parameters: z.array(z.object({ name: z.string(), value: z.union([z.string(), z.number(), z.boolean(), z.null()]) })),
  maxRows: z.number(),
  /** How long it may wait for a lock that another program holds. */
  busyTimeoutMs: z.number(),
  /** When the process ends itself, should the agent not have ended it. */
  timeLimitMs: z.number(),
});
export type SqliteRequest = z.infer<typeof requestSchema>;

/** What it says on its standard error before it ends itself for want of memory. */
export const MEMORY_MARK = "bellhop: too much memory";

/** What comes back on its standard output. `code` is SQLite's name of the error, or one of ours in small letters. */
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
