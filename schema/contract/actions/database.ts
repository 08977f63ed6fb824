import { z } from "zod";
import { code, wholeNumber } from "../action-params.ts";
import type { ActionContract } from "../action-types.ts";

export const DATABASE_ACTIONS = {
  "database.executeQuery": {
    connectionType: "database",
    effect: "unsafe",
    params: z.strictObject({
      query: code,
      maxRows: wholeNumber(1, 100_000).default(1_000),
      readOnly: z.boolean().optional(),
    }),
    // Templates are placeholders of bound values: see sql-values.ts.
    code: { query: "sql" },
    output: ["rows", "columns", "rowCount", "truncated"],
  },
} as const satisfies Record<string, ActionContract>;
