import { z } from "zod";
import { code, sqlParameters, wholeNumber } from "../action-params.ts";
import type { ActionContract } from "../action-types.ts";

export const DATABASE_ACTIONS = {
  "database.executeQuery": {
    connectionType: "database",
    effect: "unsafe",
    params: z.strictObject({
      query: code,
      parameters: sqlParameters.optional(),
      maxRows: wholeNumber(1, 100_000).default(1_000),
      readOnly: z.boolean().optional(),
    }),
    // Templates and parameters are placeholders of bound values: see sql-values.ts.
    code: { query: "sql" },
    namedValues: "parameters",
    output: ["rows", "columns", "rowCount", "truncated"],
  },
} as const satisfies Record<string, ActionContract>;
