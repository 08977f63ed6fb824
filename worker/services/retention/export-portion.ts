import { NDJSON, toLines } from "../../../schema/contract/ndjson.ts";
import { recordKeys } from "../../../schema/contract/record-keys.ts";
import type { ExportedKind } from "../../../schema/contract/retention.ts";
import { RETENTION_EXPORT_OBJECT_BYTES } from "../../../schema/limits.ts";
import { putObject } from "../../store/record-storage.ts";
import type { RecordStorage } from "../../store/record-storage.ts";
import type { Deps } from "../deps.ts";
import { readExported } from "./exported-records.ts";
import type { ExportedRecord, UnreadRecord } from "./exported-records.ts";

/** Lines of one object. */
interface Batch {
  ids: string[];
  /** The times of the records, epoch ms. */
  times: number[];
  lines: Uint8Array[];
  bytes: number;
}

interface Exported {
  rows: number;
  bytes: number;
  /** The records that are not in the storage. */
  unread: UnreadRecord[];
}

const encoder = new TextEncoder();

/**
 * Stores the records of a portion, each object with its entry of the manifest. Before each object it asks whether the
 * portion is still to be exported: after a deletion by another pass, what was read may be incomplete. Null when it is
 * not.
 */
export async function exportPortion(
  deps: Deps,
  storage: RecordStorage,
  kind: ExportedKind,
  ids: readonly string[],
  isCurrent: () => Promise<boolean>,
): Promise<Exported | null> {
  const done: Exported = { rows: 0, bytes: 0, unread: [] };
  for await (const batch of inObjects(readExported(deps, kind, ids), done.unread)) {
    if (!(await isCurrent())) return null;
    await store(deps, storage, kind, batch);
    done.rows += batch.ids.length;
    done.bytes += batch.bytes;
  }
  return done;
}

async function* inObjects(
  records: AsyncGenerator<ExportedRecord | UnreadRecord, void>,
  unread: UnreadRecord[],
): AsyncGenerator<Batch, void> {
  let batch = emptyBatch();
  for await (const record of records) {
    if ("problem" in record) {
      unread.push(record);
      continue;
    }
    const { id, at, value } = record;
    const line = encoder.encode(toLines([value]));
    if (batch.ids.length > 0 && batch.bytes + line.length > RETENTION_EXPORT_OBJECT_BYTES) {
      yield batch;
      batch = emptyBatch();
    }
    batch.ids.push(id);
    batch.times.push(at);
    batch.lines.push(line);
    batch.bytes += line.length;
  }
  if (batch.ids.length > 0) yield batch;
}

function emptyBatch(): Batch {
  return { ids: [], times: [], lines: [], bytes: 0 };
}

/** The object first: an entry of the manifest says that its object is complete. */
async function store(deps: Deps, storage: RecordStorage, kind: ExportedKind, batch: Batch): Promise<void> {
  const { ids, times, lines } = batch;
  const [from = "", to] = [Math.min(...times), Math.max(...times)].map((at) => new Date(at).toISOString());
  const keys = recordKeys(kind, from, ids[0] ?? "");
  const bytes = joined(lines, batch.bytes);
  const sha256 = await putObject(storage, { key: keys.object, contentType: NDJSON, bytes }, deps.now());
  const entry = {
    format: 1,
    key: keys.object,
    kind,
    firstId: ids[0],
    lastId: ids.at(-1),
    rows: ids.length,
    bytes: batch.bytes,
    sha256,
    from,
    to,
  };
  await putObject(
    storage,
    { key: keys.entry, contentType: "application/json", bytes: encoder.encode(toLines([entry])) },
    deps.now(),
  );
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
