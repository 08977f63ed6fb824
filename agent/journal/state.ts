import { z } from "zod";
import { ackSchema, formatHeld } from "../../schema/contract/agent.ts";
import type { LeaseRef } from "../../schema/contract/agent.ts";
import { leaseSchema, opaqueIdSchema } from "../../schema/contract/ids.ts";
import type { Place } from "./lines.ts";

const ref = { jobId: opaqueIdSchema, lease: leaseSchema };

/** The content of a journal line. `at` is epoch milliseconds. */
export const recordSchema = z.discriminatedUnion("type", [
  /** A process took the journal over. */
  z.object({ type: z.literal("opened"), journalId: opaqueIdSchema, at: z.number() }),
  z.object({ type: z.literal("began"), ...ref, attempt: z.int(), at: z.number() }),
  /** The result is reported under this lease: a newer one, or one that was acknowledged before. */
  z.object({ type: z.literal("owed"), ...ref, newLease: leaseSchema }),
  /** `result` is parsed as a JobResult when it is sent. */
  z.object({ type: z.literal("finished"), ...ref, result: z.unknown() }),
  z.object({ type: z.literal("acknowledged"), ...ref, ack: ackSchema, at: z.number() }),
]);
export type JournalRecord = z.infer<typeof recordSchema>;

/** One attempt at one job on this machine. */
export interface Entry {
  jobId: string;
  attempt: number;
  /** The newest lease: reported as held, and the one that the result goes under. */
  lease: string;
  /** Every lease of this attempt, the first one first. */
  leases: string[];
  startedAt: number;
  /** Null while the job runs. `place` is the place of its `finished` line; null until that is written. */
  finished: { place: Place | null } | null;
  /** Epoch milliseconds; null until the service has acknowledged the result. */
  acknowledgedAt: number | null;
}

export class JournalState {
  journalId: string | null = null;
  /** In the order in which they began. */
  readonly entries = new Set<Entry>();
  /** Running jobs, and results without an acknowledgement. */
  readonly held = new Set<Entry>();
  readonly #byLease = new Map<string, Entry>();
  readonly #newest = new Map<string, Entry>();

  /** The newest attempt at a job. */
  newestOf(jobId: string): Entry | undefined {
    return this.#newest.get(jobId);
  }

  byLease(lease: LeaseRef): Entry | undefined {
    return this.#byLease.get(formatHeld(lease));
  }

  /** Applies a record. A record that matches no entry changes nothing. */
  apply(record: JournalRecord, place: Place | null): void {
    if (record.type === "opened") {
      this.journalId = record.journalId;
      return;
    }
    if (record.type === "began") {
      this.#begin(record);
      return;
    }
    const entry = this.byLease(record);
    if (entry === undefined) return;
    switch (record.type) {
      case "owed":
        entry.lease = record.newLease;
        entry.acknowledgedAt = null;
        this.held.add(entry);
        if (!entry.leases.includes(record.newLease)) entry.leases.push(record.newLease);
        this.#byLease.set(formatHeld({ jobId: entry.jobId, lease: record.newLease }), entry);
        return;
      case "finished":
        entry.finished = { place };
        return;
      case "acknowledged":
        // An ack for an older lease says nothing about the newer one.
        if (entry.lease !== record.lease) return;
        entry.acknowledgedAt = record.at;
        this.held.delete(entry);
        return;
    }
  }

  forget(entry: Entry): void {
    this.entries.delete(entry);
    this.held.delete(entry);
    for (const lease of entry.leases) this.#byLease.delete(formatHeld({ jobId: entry.jobId, lease }));
    if (this.#newest.get(entry.jobId) === entry) this.#newest.delete(entry.jobId);
  }

  #begin(record: Extract<JournalRecord, { type: "began" }>): void {
    const entry: Entry = {
      jobId: record.jobId,
      attempt: record.attempt,
      lease: record.lease,
      leases: [record.lease],
      startedAt: record.at,
      finished: null,
      acknowledgedAt: null,
    };
    this.entries.add(entry);
    this.held.add(entry);
    this.#byLease.set(formatHeld(record), entry);
    this.#newest.set(record.jobId, entry);
  }
}
