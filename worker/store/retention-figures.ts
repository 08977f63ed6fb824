import { sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { RETAINED_KINDS } from "../../schema/contract/retention.ts";
import type { RetainedKind } from "../../schema/contract/retention.ts";
import { readRows } from "./database.ts";
import type { Database } from "./database.ts";

const TABLES: Readonly<Record<RetainedKind, SQL>> = {
  executions: sql`executions`,
  incidents: sql`incidents`,
  audit: sql`audit_log`,
  missedRuns: sql`missed_runs`,
  deliveries: sql`integration_deliveries`,
  lateResults: sql`stale_results`,
};

/** The oldest row's time, or its id, which has a time. Each is the first entry of an index. */
const OLDEST: Readonly<Record<RetainedKind, SQL>> = {
  executions: sql`select min(id) as oldest from executions`,
  incidents: sql`select min(id) as oldest from incidents`,
  audit: sql`select min(id) as oldest from audit_log`,
  missedRuns: sql`select min(recorded_at) as oldest from missed_runs`,
  deliveries: sql`select min(at) as oldest from integration_deliveries`,
  lateResults: sql`select min(received_at) as oldest from stale_results`,
};

/** The newest rows, by whose bytes the size is estimated. */
const SAMPLE_ROWS = 100;
/** Of the file for each row beside its texts: numbers, ids and entries of indexes. */
const ROW_BYTES = 300;

interface RowsOfKind {
  kind: RetainedKind;
  /** The highest row number; 0 without rows. */
  upTo: number;
  /** An id, or epoch ms; null without rows. */
  oldest: string | number | null;
}

/** The ends of each kind's rows. Cheap: a few entries of an index. */
export async function readEnds(db: Database): Promise<RowsOfKind[]> {
  const read = await readRows(
    db,
    RETAINED_KINDS.flatMap((kind) => [sql`select coalesce(max(rowid), 0) as upTo from ${TABLES[kind]}`, OLDEST[kind]]),
  );
  return RETAINED_KINDS.map((kind, index) => {
    const oldest = read[2 * index + 1]?.[0]?.["oldest"] ?? null;
    return {
      kind,
      upTo: Number(read[2 * index]?.[0]?.["upTo"] ?? 0),
      oldest: typeof oldest === "string" || typeof oldest === "number" ? oldest : null,
    };
  });
}

/** Counts every row of each kind, which reads a whole index: for once a day. */
export async function countRows(db: Database): Promise<{ kind: RetainedKind; rows: number; bytesPerRow: number }[]> {
  const read = await readRows(
    db,
    RETAINED_KINDS.flatMap((kind) => [sql`select count(*) as n from ${TABLES[kind]}`, bytesOf(kind)]),
  );
  return RETAINED_KINDS.map((kind, index) => ({
    kind,
    rows: Number(read[2 * index]?.[0]?.["n"] ?? 0),
    bytesPerRow: Math.round(Number(read[2 * index + 1]?.[0]?.["bytes"] ?? ROW_BYTES)),
  }));
}

/** The mean size of the newest rows, with everything that belongs to them. */
function bytesOf(kind: RetainedKind): SQL {
  const mean = (texts: SQL, from: SQL) =>
    sql`select avg(${ROW_BYTES} + ${texts}) as bytes from (select * from ${from} order by rowid desc limit ${SAMPLE_ROWS})`;
  switch (kind) {
    case "executions": {
      const parts = (table: SQL, texts: SQL) =>
        sql`(select coalesce(sum(${ROW_BYTES} + ${texts}), 0) from ${table} p where p.execution_id = x.id)`;
      return sql`select avg(${ROW_BYTES} + octet_length(x.trigger)
          + ${parts(sql`node_runs`, sql`0`)}
          + ${parts(sql`node_run_outputs`, sql`coalesce(octet_length(p.output), 0)`)}
          + ${parts(sql`jobs`, sql`octet_length(p."order") + coalesce(octet_length(p.output), 0)`)}
          + ${parts(sql`execution_events`, sql`0`)}) as bytes
        from (select id, trigger from executions order by rowid desc limit ${SAMPLE_ROWS}) x`;
    }
    case "incidents":
      return sql`select avg(${ROW_BYTES} + octet_length(x.tags)
          + (select coalesce(sum(${ROW_BYTES} + octet_length(e.snapshot)), 0) from incident_events e where e.incident_id = x.id)) as bytes
        from (select id, tags from incidents order by rowid desc limit ${SAMPLE_ROWS}) x`;
    case "audit":
      return mean(sql`octet_length(detail)`, TABLES.audit);
    case "missedRuns":
    case "deliveries":
    case "lateResults":
      return mean(sql`0`, TABLES[kind]);
  }
}
