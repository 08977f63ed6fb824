import { jobResultSchema } from "../../schema/contract/agent.ts";
import type { Ack, JobResult, LeaseRef } from "../../schema/contract/agent.ts";
import { JournalFile } from "./file.ts";
import type { Place, ReadLine } from "./lines.ts";
import { interruptedResult } from "./interrupted.ts";
import type { FoundLeftover } from "./interrupted.ts";
import { isDiskFull, Reserve } from "./reserve.ts";
import { recordSchema, JournalState } from "./state.ts";
import type { Entry, JournalRecord } from "./state.ts";
import { rewriteJournal, tidyEntries } from "./tidy.ts";
import { describeError } from "../log.ts";
import type { Log } from "../log.ts";

export interface JournalOptions {
  path: string;
  log: Log;
  /** Epoch milliseconds. */
  now: () => number;
  newId: () => string;
  /** Disk space that is reserved for the results of running jobs; 0 reserves none. */
  reserveBytes?: number;
  /** Ends the processes of a job that a killed agent left behind; null when there were none. */
  endLeftover?: (journalId: string, entry: Entry) => Promise<FoundLeftover | null>;
}

/**
 * `disk full`: the agent asks for no new job; running jobs are still recorded, in the reserved space, as long as it
 * lasts. `unwritable`: records wait in memory, and no job may begin.
 */
export type JournalCondition = "writable" | "disk full" | "unwritable";

/** The disk refused a line. No job may begin, because it would be unknown after a crash. */
export class JournalUnwritable extends Error {
  override readonly name = "JournalUnwritable";
}

/**
 * The record of what this agent was given, what it began and which results the service has not acknowledged
 * (docs/design/agent-protocol.md#journal).
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #file: JournalFile;
  readonly #state: JournalState;
  readonly #journalId: string;
  /** Results whose line is not on the disk yet. */
  readonly #unwritten = new Map<Entry, JobResult>();
  /** The ones among them whose first write is still under way. A crash after sending one now would lose it. */
  readonly #finishing = new Set<Entry>();
  /** Records that could not be written to the disk, in order. They apply nevertheless. */
  #backlog: JournalRecord[] = [];
  #writable = true;
  readonly #reserve: Reserve | null;
  #fullDisk = false;

  private constructor(options: JournalOptions, file: JournalFile, state: JournalState, journalId: string) {
    this.#options = options;
    this.#file = file;
    this.#state = state;
    this.#journalId = journalId;
    const { path, reserveBytes = 0, log } = options;
    this.#reserve = reserveBytes > 0 ? new Reserve(`${path}.reserve`, reserveBytes, log) : null;
  }

  /** Reads an existing journal. Jobs that ran when the last process ended get the result `interrupted`. */
  static async open(options: JournalOptions): Promise<Journal> {
    const aside = `${options.path}.damaged-${fileTime(options.now())}`;
    const { file, read } = await JournalFile.open(options.path, aside);
    const state = new JournalState();
    const strange = replay(state, read.lines);
    if (strange > 0) options.log.warning("the journal holds lines that this version does not know", { lines: strange });
    if (read.damaged) {
      options.log.error("the journal was damaged: jobs that are no longer in it count as lost", { copy: aside });
    }
    // A missing line may be the record that a job began. With a new journal id the service counts the jobs given to the
    // old one as lost, and never delivers them here again.
    const journalId = read.damaged ? null : state.journalId;
    const journal = new Journal(options, file, state, journalId ?? options.newId());
    if (read.damaged) await rewriteJournal(file, state, journal.journalId, options.now());
    await journal.#takeOver();
    return journal;
  }

  get journalId(): string {
    return this.#journalId;
  }

  /** False while the disk accepts no writes: then no job may begin. `recover` tries again. */
  get writable(): boolean {
    return this.#writable;
  }

  /** Whether to ask for new jobs. False when the disk only has room for running jobs. */
  get takesNewJobs(): boolean {
    return this.#writable && this.#reserve?.isFull !== true;
  }

  get condition(): JournalCondition {
    if (this.takesNewJobs) return "writable";
    return this.#writable || this.#fullDisk ? "disk full" : "unwritable";
  }

  newestOf(jobId: string): Entry | undefined {
    return this.#state.newestOf(jobId);
  }

  byLease(ref: LeaseRef): Entry | undefined {
    return this.#state.byLease(ref);
  }

  /** Leases that run, or whose results are not acknowledged. Every poll and heartbeat names them. */
  held(): LeaseRef[] {
    return [...this.#state.held].map(({ jobId, lease }) => ({ jobId, lease }));
  }

  /** Unacknowledged results, oldest first. Each is on the disk, or the disk has refused it. */
  owed(): Entry[] {
    return [...this.#state.held].filter((entry) => entry.finished !== null && !this.#finishing.has(entry));
  }

  /** Resolves when the "began" record of this lease is on the disk. Throws JournalUnwritable: then it must not run. */
  async begin(job: LeaseRef & { attempt: number }): Promise<Entry> {
    const { jobId, lease, attempt } = job;
    const record: JournalRecord = { type: "began", jobId, lease, attempt, at: this.#options.now() };
    try {
      if (!this.#writable) throw new Error("an earlier line could not be written");
      // The job was asked for while there was room, so it runs, and may use the reserved space, as its result may.
      await this.#append(record);
    } catch (cause) {
      this.#refused(cause);
      throw new JournalUnwritable(`cannot write to ${this.#options.path}`, { cause });
    }
    this.#state.apply(record, null);
    const entry = this.#state.byLease(job);
    if (entry === undefined) throw new Error("a lease that began is unknown");
    return entry;
  }

  /** From now on the result goes under this lease: a newer one, or one whose result the service has lost. */
  async owe(entry: Entry, newLease: string): Promise<void> {
    await this.#write({ type: "owed", jobId: entry.jobId, lease: entry.lease, newLease });
  }

  /** Keeps the result. It is reported under the entry's newest lease, not under the one in the result. */
  async finish(entry: Entry, result: JobResult): Promise<void> {
    this.#unwritten.set(entry, result);
    this.#finishing.add(entry);
    await this.#write({ type: "finished", jobId: entry.jobId, lease: entry.lease, result });
    this.#finishing.delete(entry);
  }

  async acknowledge(ref: LeaseRef, ack: Ack): Promise<void> {
    await this.#write({ type: "acknowledged", ...ref, ack, at: this.#options.now() });
  }

  /** The result of a finished entry, under its newest lease. */
  async resultOf(entry: Entry): Promise<JobResult> {
    const lease = entry.lease;
    const unwritten = this.#unwritten.get(entry);
    if (unwritten !== undefined) return { ...unwritten, lease };
    const json = await this.#file.read(() => {
      const place = entry.finished?.place;
      if (place === null || place === undefined) throw new Error("the journal has no result for this job");
      return place;
    });
    const record = recordSchema.parse(JSON.parse(json));
    if (record.type !== "finished") throw new Error("the journal has another record at the place of this result");
    return { ...jobResultSchema.parse(record.result), lease };
  }

  /** Tries to write the refused records and to restore the reserve. Returns whether the agent takes new jobs. */
  async recover(): Promise<boolean> {
    if (!(await this.#writeBacklog())) return false;
    await this.#reserve?.look();
    return this.takesNewJobs;
  }

  async #writeBacklog(): Promise<boolean> {
    if (this.#writable) return true;
    const backlog = this.#backlog;
    const opened: JournalRecord = { type: "opened", journalId: this.#journalId, at: this.#options.now() };
    try {
      // Queued together they share one write: all of them are on the disk, or none.
      const places = await Promise.all([opened, ...backlog].map((record) => this.#file.append(JSON.stringify(record))));
      for (const [index, record] of backlog.entries()) this.#written(record, places[index + 1] ?? null);
      this.#backlog = this.#backlog.slice(backlog.length);
      this.#writable = this.#backlog.length === 0;
      if (this.#writable) this.#options.log.info("the journal can be written again");
    } catch {
      return false;
    }
    return this.#writable;
  }

  /** Forgets entries that were acknowledged long ago, and shrinks the file when most of it is unused. */
  async tidy(): Promise<void> {
    await this.#reserve?.fill();
    const { shouldRewrite } = tidyEntries(this.#state, this.#file.size, this.#options.now());
    if (!shouldRewrite || !this.takesNewJobs) return;
    try {
      await rewriteJournal(this.#file, this.#state, this.#journalId, this.#options.now());
    } catch (error) {
      this.#options.log.warning("the journal could not be shrunk", { error: describeError(error) });
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #takeOver(): Promise<void> {
    await this.#write({ type: "opened", journalId: this.#journalId, at: this.#options.now() });
    const running = [...this.#state.held].filter((entry) => entry.finished === null);
    await Promise.all(running.map((entry) => this.#interrupt(entry)));
    if (running.length > 0) {
      const jobs = running.map(({ jobId }) => jobId);
      this.#options.log.warning("the previous agent process ended while jobs ran: they are reported as interrupted", {
        jobs,
      });
    }
    await this.tidy();
  }

  /** All processes of the job have ended when the service learns of the interruption. */
  async #interrupt(entry: Entry): Promise<void> {
    const { endLeftover, log, now } = this.#options;
    const leftover = (await endLeftover?.(this.#journalId, entry)) ?? null;
    if (leftover !== null) {
      const { jobId } = entry;
      log.warning("a job that the previous agent process left behind was still running: it was ended", {
        jobId,
        ...leftover,
      });
    }
    await this.finish(entry, interruptedResult(entry, leftover, now()));
  }

  async #write(record: JournalRecord): Promise<void> {
    this.#state.apply(record, null);
    if (!this.#writable) {
      this.#backlog.push(record);
      return;
    }
    try {
      this.#written(record, await this.#append(record));
    } catch (error) {
      this.#backlog.push(record);
      this.#refused(error);
    }
  }

  /** On a full disk the reserve makes room. */
  async #append(record: JournalRecord): Promise<Place> {
    const json = JSON.stringify(record);
    try {
      return await this.#file.append(json);
    } catch (error) {
      if (this.#reserve === null || !isDiskFull(error)) throw error;
      await this.#reserve.spend(error);
      return await this.#file.append(json);
    }
  }

  #written(record: JournalRecord, place: { offset: number; length: number } | null): void {
    if (record.type !== "finished") return;
    const entry = this.#state.byLease(record);
    if (entry === undefined) return;
    entry.finished = { place };
    this.#unwritten.delete(entry);
  }

  #refused(error: unknown): void {
    this.#fullDisk = isDiskFull(error);
    if (!this.#writable) return;
    this.#writable = false;
    this.#options.log.error("the journal cannot be written: no new job begins until it can. Check the disk", {
      path: this.#options.path,
      error: describeError(error),
    });
  }
}

/** UTC time for use in file names. */
export function fileTime(now: number): string {
  return new Date(now).toISOString().replaceAll(":", "-");
}

function replay(state: JournalState, lines: readonly ReadLine[]): number {
  let strange = 0;
  for (const { json, place } of lines) {
    const record = recordSchema.safeParse(JSON.parse(json));
    if (record.success) state.apply(record.data, place);
    else strange++;
  }
  return strange;
}
