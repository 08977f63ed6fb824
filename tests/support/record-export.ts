import { createHash } from "node:crypto";
import type { InStatement } from "@libsql/client/web";
import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { z } from "zod";
import { newId } from "../../worker/services/ids.ts";
import { DAY_MS } from "./old-records.ts";
import { S3_KEY } from "./s3-server.ts";
import type { S3Server } from "./s3-server.ts";

/** The export of records before their deletion. */

export function exportSettings(s3: S3Server, url = `${s3.url}/bellhop`): Record<string, string> {
  return {
    RETENTION_EXPORT_URL: url,
    RETENTION_EXPORT_REGION: S3_KEY.region,
    RETENTION_EXPORT_ACCESS_KEY_ID: S3_KEY.accessKeyId,
    RETENTION_EXPORT_SECRET_ACCESS_KEY: S3_KEY.secretAccessKey,
  };
}

/** Entries of the audit log that are due, a millisecond apart. */
export function oldEntriesOf(workflowId: string, count: number, now: number): InStatement[] {
  return Array.from({ length: count }, (_, index) => {
    const at = now - 500 * DAY_MS + index;
    return {
      sql: "insert into audit_log (id, at, actor, verb, subject_type, subject_id, detail) values (?, ?, 'bootstrap', 'publish', 'workflow', ?, '{}')",
      args: [newId("audit", at), at, workflowId],
    };
  });
}

/** Adds an entry that is due to the database of a running service. */
export function addOldEntry(file: string): void {
  const [entry] = oldEntriesOf("wfl_a", 1, Date.now());
  const { sql, args } = z.object({ sql: z.string(), args: z.array(z.union([z.string(), z.number()])) }).parse(entry);
  const database = new Database(file);
  database.run(sql, args);
  database.close();
}

const manifestSchema = z.strictObject({
  format: z.literal(1),
  key: z.string(),
  kind: z.enum(["executions", "audit"]),
  firstId: z.string(),
  lastId: z.string(),
  rows: z.int(),
  bytes: z.int(),
  sha256: z.string(),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
});
/**
 * The records of a kind by the manifest, each of whose entries must be right about its object. `below` is the prefix of
 * the keys.
 */
export function manifestOf(
  objects: ReadonlyMap<string, string>,
  kind: "executions" | "audit",
  below = "",
): { id: string }[] {
  return [...objects].flatMap(([key, text]) => {
    if (!key.startsWith(`${below}manifest/${kind}/`)) return [];
    const entry = manifestSchema.parse(JSON.parse(text));
    const object = objects.get(`${below}${entry.key}`) ?? "";
    const rows = object
      .trimEnd()
      .split("\n")
      .map((line) => z.looseObject({ id: z.string() }).parse(JSON.parse(line)));
    expect(entry).toMatchObject({
      kind,
      firstId: rows[0]?.id ?? "",
      lastId: rows.at(-1)?.id ?? "",
      rows: rows.length,
      bytes: Buffer.byteLength(object),
      sha256: createHash("sha256").update(object).digest("hex"),
    });
    const day = entry.from.slice(0, 10).replaceAll("-", "/");
    expect([entry.key, key]).toEqual([
      `${kind}/${day}/${entry.firstId}.ndjson`,
      `${below}manifest/${kind}/${day}/${entry.firstId}.json`,
    ]);
    return rows;
  });
}
