import { z } from "zod";

/** The traffic to libSQL through the proxy since the last `take`. BEGIN, COMMIT and ROLLBACK do not count. */
export interface Traffic {
  /** HTTP requests. */
  requests: number;
  /** Those of them that write. */
  writeRequests: number;
  /** Writing transactions, and writing statements outside any transaction. */
  writeBatches: number;
  readStatements: number;
  writeStatements: number;
  /** Changed rows, as libSQL reports them. */
  rowsWritten: number;
  /** Write batches of the agents' presence, which is flushed every few seconds and belongs to no execution. */
  presenceBatches: number;
  /** Rows that presence batches changed; they are not part of `rowsWritten`. */
  presenceRows: number;
}

export interface CountingProxy {
  url: string;
  take(): Traffic;
  stop(): Promise<void>;
}

/** A statement has its text, or the number under which the same pipeline stored the text. */
const stmtSchema = z.object({ sql: z.string().optional(), sql_id: z.int().optional() });
const pipelineSchema = z.object({
  requests: z.array(
    z.object({
      type: z.string(),
      sql: z.string().optional(),
      sql_id: z.int().optional(),
      stmt: stmtSchema.optional(),
      batch: z.object({ steps: z.array(z.object({ stmt: stmtSchema })) }).optional(),
    }),
  ),
});
const TRANSACTION = /^\s*(?:BEGIN|COMMIT|ROLLBACK|END)\b/iu;
const READ = /^\s*(?:SELECT|WITH|PRAGMA|EXPLAIN)\b/iu;
const PRESENCE = /^\s*update "?agents"?\s/iu;
const AFFECTED = /"affected_row_count":(\d+)/gu;

/** A proxy between the Worker and libSQL that counts, so that the measured server needs no change. */
export function startCountingProxy(upstream: string): CountingProxy {
  let traffic = nothing();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 255,
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      const body = await request.text();
      const answer = await fetch(`${upstream}${pathname}`, {
        method: request.method,
        headers: { "Content-Type": "application/json" },
        ...(body === "" ? {} : { body }),
      });
      const text = await answer.text();
      if (pathname.endsWith("/pipeline")) count(traffic, body, text);
      return new Response(text, {
        status: answer.status,
        headers: { "content-type": answer.headers.get("content-type") ?? "application/json" },
      });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    take: () => {
      const taken = traffic;
      traffic = nothing();
      return taken;
    },
    stop: () => server.stop(true),
  };
}

function count(traffic: Traffic, body: string, answer: string): void {
  const { requests } = pipelineSchema.parse(JSON.parse(body));
  const stored = new Map(requests.flatMap(({ type, sql, sql_id }) => (type === "store_sql" ? [[sql_id, sql]] : [])));
  const textOf = ({ sql, sql_id }: z.infer<typeof stmtSchema>): string => {
    const text = sql ?? stored.get(sql_id);
    if (text === undefined) throw new Error("a statement's text was stored in an earlier pipeline");
    return text;
  };
  let isPresence = false;
  const batchesBefore = traffic.writeBatches;
  for (const { stmt, batch } of requests) {
    const statements = [...(stmt === undefined ? [] : [stmt]), ...(batch?.steps ?? []).map((step) => step.stmt)]
      .map(textOf)
      .filter((sql) => !TRANSACTION.test(sql));
    const writes = statements.filter((sql) => !READ.test(sql));
    if (writes.length > 0 && writes.every((sql) => PRESENCE.test(sql))) {
      isPresence = true;
      traffic.presenceBatches += 1;
      continue;
    }
    traffic.readStatements += statements.length - writes.length;
    traffic.writeStatements += writes.length;
    if (writes.length > 0) traffic.writeBatches += 1;
  }
  let rowsWritten = 0;
  for (const [, rows] of answer.matchAll(AFFECTED)) rowsWritten += Number(rows);
  if (isPresence) {
    traffic.presenceRows += rowsWritten;
    return;
  }
  traffic.requests += 1;
  if (traffic.writeBatches > batchesBefore) traffic.writeRequests += 1;
  traffic.rowsWritten += rowsWritten;
}

function nothing(): Traffic {
  return {
    requests: 0,
    writeRequests: 0,
    writeBatches: 0,
    readStatements: 0,
    writeStatements: 0,
    rowsWritten: 0,
    presenceBatches: 0,
    presenceRows: 0,
  };
}
