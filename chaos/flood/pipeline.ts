import { z } from "zod";

/** A write batch in a pipeline request (Hrana over HTTP: SQL over HTTP, version 2). */
export interface WriteBatch {
  /** Its place in the pipeline's `requests`. */
  index: number;
  steps: number;
  /** `execution id:revision` of the step that the batch saves; null for other writes. */
  step: string | null;
}

export interface Pipeline {
  writes: WriteBatch[];
  requests: unknown[];
  rest: Record<string, unknown>;
}

/** Literals, or the numbers under which the same pipeline stored the text. */
const stmtSchema = z.object({
  sql: z.string().optional(),
  sql_id: z.int().optional(),
  args: z.array(z.object({ value: z.union([z.string(), z.number()]).optional() })).optional(),
});
const requestSchema = z.object({
  type: z.string(),
  sql: z.string().optional(),
  sql_id: z.int().optional(),
  batch: z.object({ steps: z.array(z.object({ stmt: stmtSchema })) }).optional(),
});
const pipelineSchema = z.looseObject({ requests: z.array(z.unknown()) });
const answerSchema = z.looseObject({ results: z.array(z.unknown()) });

const WRITE = /^\s*BEGIN IMMEDIATE\b/iu;
const STEP = /^\s*insert into "?execution_events"?\s*\(([^)]*)\)/iu;

export function readPipeline(body: string): Pipeline {
  const { requests, ...rest } = pipelineSchema.parse(JSON.parse(body));
  const read = requests.map((request) => requestSchema.parse(request));
  const stored = new Map(read.flatMap(({ type, sql, sql_id: id }) => (type === "store_sql" ? [[id, sql ?? ""]] : [])));
  const textOf = ({ sql, sql_id: id }: z.infer<typeof stmtSchema>) => sql ?? stored.get(id) ?? "";
  const writes = read.flatMap(({ batch }, index) => {
    const stmts = (batch?.steps ?? []).map(({ stmt }) => stmt);
    if (!stmts.some((stmt) => WRITE.test(textOf(stmt)))) return [];
    return [{ index, steps: stmts.length, step: stepIn(stmts, textOf) }];
  });
  return { writes, requests, rest };
}

/** The pipeline's text without these batches. */
export function without({ requests, rest }: Pipeline, refused: readonly WriteBatch[]): string {
  const places = new Set(refused.map(({ index }) => index));
  return JSON.stringify({ ...rest, requests: requests.filter((_request, index) => !places.has(index)) });
}

/** The answer to the rest of the pipeline, with each refused batch answered as busy in its place. */
export function withBusy(answer: string, refused: readonly WriteBatch[]): string {
  const { results, ...rest } = answerSchema.parse(JSON.parse(answer));
  // In rising order, so that each place counts the results before it.
  for (const batch of refused) results.splice(batch.index, 0, busyResult(batch));
  return JSON.stringify({ ...rest, results });
}

/**
 * The result of a batch whose BEGIN got SQLITE_BUSY: the request is answered 200, the steps that depend on BEGIN do not
 * run, and the closing ROLLBACK finds no transaction.
 */
function busyResult({ steps }: WriteBatch) {
  const busy = { message: "SQLite error: database is locked", code: "SQLITE_BUSY" };
  const noTransaction = { message: "SQLite error: cannot rollback - no transaction is active", code: "SQLITE_ERROR" };
  const result = {
    step_results: Array.from({ length: steps }, () => null),
    step_errors: Array.from({ length: steps }, (_, step) => {
      if (step === 0) return busy;
      return step === steps - 1 ? noTransaction : null;
    }),
    replication_index: null,
  };
  return { type: "ok", response: { type: "batch", result } };
}

function stepIn(
  stmts: readonly z.infer<typeof stmtSchema>[],
  textOf: (stmt: z.infer<typeof stmtSchema>) => string,
): string | null {
  for (const stmt of stmts) {
    const columns = STEP.exec(textOf(stmt))?.[1]
      ?.split(",")
      .map((name) => name.trim().replaceAll('"', ""));
    if (columns === undefined) continue;
    const valueOf = (column: string) => stmt.args?.[columns.indexOf(column)]?.value;
    return `${valueOf("execution_id")}:${valueOf("revision")}`;
  }
  return null;
}
