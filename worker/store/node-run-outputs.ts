import { inArray, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import type { JsonValue } from "../../schema/contract/json.ts";
import { nodeRunOutputs } from "../../schema/tables/index.ts";
import type { Database } from "./database.ts";
import { chunks } from "./node-run-writes.ts";

/** libSQL's own server answers with at most 10 MB of JSON, in which an output's quotes and line ends are escaped. */
const OUTPUTS_READ_MAX_BYTES = 3 * 1_024 * 1_024;
/** Outputs of the largest size, 512 KiB, that are as many bytes. */
const OUTPUTS_AT_ONCE = 6;

const ROWS_AT_ONCE = 500;

/** Whether a row's output fits into one answer, together with those of the rows before it in this order. */
export function isWithinOneRead(order: SQL): SQL {
  const size = sql`length(cast(${nodeRunOutputs.output} as blob))`;
  return sql`sum(${size}) over (order by ${order}) <= ${OUTPUTS_READ_MAX_BYTES}`;
}

/** Rows in groups whose outputs fit into one answer each; a row with a larger one is a group alone. */
export function withinOneRead<T extends { bytes: number }>(rows: readonly T[]): T[][] {
  const groups: T[][] = [];
  let total = 0;
  for (const row of rows) {
    total += row.bytes;
    const group = groups.at(-1);
    if (group !== undefined && total <= OUTPUTS_READ_MAX_BYTES && group.length < ROWS_AT_ONCE) group.push(row);
    else {
      groups.push([row]);
      total = row.bytes;
    }
  }
  return groups;
}

export async function outputsOf(db: Database, nodeRunIds: readonly string[]): Promise<Map<string, JsonValue | null>> {
  const found = new Map<string, JsonValue | null>();
  for (const ids of chunks(nodeRunIds, OUTPUTS_AT_ONCE)) {
    const rows = await db
      .select({ id: nodeRunOutputs.nodeRunId, output: nodeRunOutputs.output })
      .from(nodeRunOutputs)
      .where(inArray(nodeRunOutputs.nodeRunId, ids));
    for (const { id, output } of rows) found.set(id, output);
  }
  return found;
}
