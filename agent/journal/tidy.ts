import { JOURNAL_KEEP_ACKNOWLEDGED_MS } from "../../schema/limits.ts";
import { jobResultSchema } from "../../schema/contract/agent.ts";
import type { JournalFile } from "./file.ts";
import type { Place } from "./lines.ts";
import { recordSchema } from "./state.ts";
import type { Entry, JournalRecord, JournalState } from "./state.ts";

const MIB = 1_024 * 1_024;
const REWRITE_MIN_BYTES = MIB;
/** Approximate bytes of the lines of an entry, besides its result. */
const ENTRY_BYTES = 512;
/**
 * A job per second for a day. A busier agent forgets earlier: memory is bounded, and the service also remembers
 * finished jobs for a day.
 */
const ACKNOWLEDGED_MAX_ENTRIES = 100_000;
/** Acknowledged results are kept in case the service asks again. Above this size the older ones lose their output. */
const ACKNOWLEDGED_MAX_BYTES = 16 * MIB;

/** Forgets entries whose time is over. Says whether a rewrite of the file is worthwhile. */
export function tidyEntries(state: JournalState, fileBytes: number, now: number): { shouldRewrite: boolean } {
  let excess = state.entries.size - state.held.size - ACKNOWLEDGED_MAX_ENTRIES;
  let liveBytes = 0;
  let acknowledgedBytes = 0;
  for (const entry of state.entries) {
    const resultBytes = entry.finished?.place?.length ?? 0;
    if (entry.acknowledgedAt !== null) {
      const isOld = now - entry.acknowledgedAt > JOURNAL_KEEP_ACKNOWLEDGED_MS;
      if (isOld || excess > 0) {
        state.forget(entry);
        excess--;
        continue;
      }
      acknowledgedBytes += resultBytes;
    }
    liveBytes += ENTRY_BYTES + resultBytes;
  }
  const shouldRewrite =
    fileBytes > REWRITE_MIN_BYTES && (fileBytes > 2 * liveBytes || acknowledgedBytes > 2 * ACKNOWLEDGED_MAX_BYTES);
  return { shouldRewrite };
}

/** Rewrites the journal with the lines that are still needed. */
export async function rewriteJournal(
  file: JournalFile,
  state: JournalState,
  journalId: string,
  now: number,
): Promise<void> {
  const bare = entriesWithoutOutput(state);
  const finishedAt: { entry: Entry; line: number }[] = [];
  await file.rewrite(
    async function* (readOld) {
      yield toJson({ type: "opened", journalId, at: now });
      let line = 1;
      for (const entry of state.entries) {
        for (const record of beginningOf(entry)) {
          yield toJson(record);
          line++;
        }
        const place = entry.finished?.place ?? null;
        // Without a place the line is still queued, and is written after these.
        if (place !== null) {
          const json = await readOld(place);
          yield bare.has(entry) ? withoutOutput(json) : json;
          finishedAt.push({ entry, line: line++ });
        }
        if (entry.acknowledgedAt !== null) {
          const { jobId, lease, acknowledgedAt: at } = entry;
          yield toJson({ type: "acknowledged", jobId, lease, ack: "accepted", at });
          line++;
        }
      }
    },
    (places: Place[]) => {
      for (const { entry, line } of finishedAt) entry.finished = { place: places[line] ?? null };
    },
  );
}

function* beginningOf(entry: Entry): Iterable<JournalRecord> {
  const { jobId, attempt, startedAt } = entry;
  let lease = entry.leases[0] ?? entry.lease;
  yield { type: "began", jobId, lease, attempt, at: startedAt };
  // The current lease comes last. It need not be the last one that was added.
  for (const newLease of [...entry.leases.slice(1).filter((other) => other !== entry.lease), entry.lease]) {
    if (newLease === lease) continue;
    yield { type: "owed", jobId, lease, newLease };
    lease = newLease;
  }
}

/** The oldest acknowledged entries, whose results exceed the size that is kept. */
function entriesWithoutOutput(state: JournalState): Set<Entry> {
  const bare = new Set<Entry>();
  let bytes = 0;
  for (const entry of [...state.entries].toReversed()) {
    if (entry.acknowledgedAt === null) continue;
    bytes += entry.finished?.place?.length ?? 0;
    if (bytes > ACKNOWLEDGED_MAX_BYTES) bare.add(entry);
  }
  return bare;
}

function withoutOutput(json: string): string {
  const record = recordSchema.parse(JSON.parse(json));
  if (record.type !== "finished") return json;
  const result = jobResultSchema.parse(record.result);
  return toJson({ ...record, result: { ...result, output: result.output === null ? null : { truncated: true } } });
}

function toJson(record: JournalRecord): string {
  return JSON.stringify(record);
}
