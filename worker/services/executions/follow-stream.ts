import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import type { ExecutionSummary } from "../../../schema/contract/execution.ts";
import { STREAM_HEARTBEAT_MS, STREAM_MAX_MS, STREAM_RETRY_MS } from "../../../schema/contract/execution-event.ts";
import { outputsShown } from "../../domain/template/output-json.ts";
import type { ExecutionChanges } from "../../store/execution-events.ts";
import { logWarning } from "../log.ts";
import type { JobState } from "../../actors/dispatcher/index.ts";
import { settle, within } from "./events-stream.ts";
import type { Settled, StreamClock, StreamEvent } from "./events-stream.ts";
import { toNodeRunView } from "./view.ts";

/** A job's stages between queued and ended change in its dispatcher without a new revision, so they are polled. */
const LOOK_AT_JOBS_MS = 1_000;
const TRY_AGAIN_MS = 1_000;
/** An immediate answer without news must not turn into a busy loop. */
const PAUSE_WITHOUT_NEWS_MS = 250;

/** The source of an execution's changes. */
export interface ExecutionSource {
  /** `withOpen` adds the node runs whose jobs are under way. Null when the execution is gone. */
  read(after: number, withOpen: boolean): Promise<ExecutionChanges | null>;
  /** The revision once it is above `after`, or the unchanged one after a while. */
  nextRevision(after: number): Promise<number | null>;
  jobStates(jobs: ExecutionChanges["openJobs"]): Promise<ReadonlyMap<string, JobState>>;
  summary(row: ExecutionChanges["row"]): Promise<ExecutionSummary>;
  /** The people who may answer each node's approval: see `answerersOf`. */
  answerers(row: ExecutionChanges["row"], runs: ExecutionChanges["runs"]): Promise<ReadonlyMap<string, string>>;
}

/**
 * The events of one execution after revision `after` (null: all of it first), until `endsAt` (epoch ms) at most. The
 * `nodeRun` events of a revision precede the `execution` event with its id: a client that disconnects between them gets
 * them again and misses nothing.
 */
export async function* followStream(
  source: ExecutionSource,
  { after, endsAt = null }: { after: number | null; endsAt?: number | null },
  clock: StreamClock,
): AsyncGenerator<StreamEvent, void> {
  const until = Math.min(clock.now() + STREAM_MAX_MS, endsAt ?? Infinity);
  const runs = new OpenRuns(source);
  let silentSince = clock.now();
  let revision = after ?? -1;
  let waiting: Promise<Settled<number | null>> | null = null;
  let first = true;
  yield { retryMs: STREAM_RETRY_MS };
  for (;;) {
    const now = clock.now();
    if (now >= until) return yield reconnect("This stream has reached its time limit. Connect again.");
    // The first read is immediate; later ones need news, or jobs whose stages may have changed.
    let news = first;
    if (!first) {
      const asked = now;
      waiting ??= settle(() => source.nextRevision(revision));
      const longest = Math.min(silentSince + STREAM_HEARTBEAT_MS, until) - now;
      const answer = await within(clock, waiting, Math.max(0, runs.any ? Math.min(longest, LOOK_AT_JOBS_MS) : longest));
      if (answer !== null) {
        waiting = null;
        if (!answer.ok) logWarning("waiting for an execution's next revision failed", { error: String(answer.error) });
        else if (answer.value === null) return yield reconnect("The execution no longer exists.");
        else news = answer.value > revision;
        if (!news) await pauseAfter(clock, asked, answer.ok ? PAUSE_WITHOUT_NEWS_MS : TRY_AGAIN_MS);
      }
    }
    const events = await settle(() => (news ? runs.changes(revision, first) : runs.stages()));
    if (!events.ok) {
      logWarning("an execution's changes could not be read", { error: String(events.error) });
      await clock.sleep(TRY_AGAIN_MS);
    } else if (events.value === null) {
      return yield reconnect("The execution no longer exists.");
    } else {
      first = false;
      for (const event of events.value.events) {
        silentSince = clock.now();
        yield event;
      }
      const { seen } = events.value;
      if (seen !== null) {
        revision = seen.revision;
        if (isTerminalExecution(seen.status))
          return yield { event: "end", id: revision, data: { status: seen.status } };
      }
    }
    if (clock.now() - silentSince >= STREAM_HEARTBEAT_MS) {
      silentSince = clock.now();
      yield { heartbeat: true };
    }
  }
}

export function reconnect(reason: string): StreamEvent {
  return { event: "reconnect", data: { reason } };
}

async function pauseAfter(clock: StreamClock, asked: number, ms: number): Promise<void> {
  const passed = clock.now() - asked;
  if (passed < ms) await clock.sleep(ms - passed);
}

interface Batch {
  readonly events: readonly StreamEvent[];
  /** The execution as it was read; null when it was not read. */
  readonly seen: ExecutionChanges["row"] | null;
}

/** The node runs whose jobs are under way: their rows in libSQL, and their last shown form. */
class OpenRuns {
  readonly #source: ExecutionSource;
  #open: ExecutionChanges["runs"] = [];
  #jobs: ExecutionChanges["openJobs"] = [];
  /** Kept because a dispatcher that is silent for a moment must not undo the state that was shown. */
  #states = new Map<string, JobState>();
  #shown = new Map<string, string>();

  constructor(source: ExecutionSource) {
    this.#source = source;
  }

  get any(): boolean {
    return this.#open.length > 0;
  }

  /** The changes since a revision; as the first event of a new stream, the whole execution. */
  async changes(after: number, first: boolean): Promise<Batch | null> {
    const read = await this.#source.read(after, first);
    if (read === null) return null;
    const { row, runs } = read;
    // The client's mark may be from before a restore of the database: start over.
    if (row.revision < after) return this.changes(-1, first);
    if (row.revision === after && !first) return { events: [], seen: row };
    const changed = new Set(runs.map(({ run }) => run.id));
    this.#jobs = isTerminalExecution(row.status) ? [] : read.openJobs;
    const jobIds = new Set(this.#jobs.map(({ id }) => id));
    this.#open = [...this.#open.filter(({ run }) => !changed.has(run.id)), ...runs].filter(({ run }) =>
      jobIds.has(run.jobId ?? ""),
    );
    const [answerers, summary] = await Promise.all([
      this.#source.answerers(row, runs),
      this.#source.summary(row),
      this.#ask(),
    ]);
    const shown = outputsShown();
    const views = runs.map(({ run, output }) =>
      toNodeRunView(run, shown(output), {
        live: this.#states.get(run.jobId ?? ""),
        answerers: answerers.get(run.nodeId),
      }),
    );
    for (const view of views) this.#shown.set(view.id, JSON.stringify(view));
    this.#forgetEnded();
    if (after < 0)
      return { events: [{ event: "execution", id: row.revision, data: { ...summary, nodeRuns: views } }], seen: row };
    const nodeRuns = views.map((view): StreamEvent => ({ event: "nodeRun", data: view }));
    const isNew = row.revision > after;
    return {
      events: isNew ? [...nodeRuns, { event: "execution", id: row.revision, data: summary }] : nodeRuns,
      seen: row,
    };
  }

  /** The node runs whose dispatcher now reports something else than was shown last. */
  async stages(): Promise<Batch> {
    if (!this.any) return { events: [], seen: null };
    await this.#ask();
    const shown = outputsShown();
    const events = this.#open.flatMap(({ run, output }): StreamEvent[] => {
      const view = toNodeRunView(run, shown(output), { live: this.#states.get(run.jobId ?? "") });
      const text = JSON.stringify(view);
      if (this.#shown.get(run.id) === text) return [];
      this.#shown.set(run.id, text);
      return [{ event: "nodeRun", data: view }];
    });
    return { events, seen: null };
  }

  async #ask(): Promise<void> {
    if (this.#jobs.length === 0) return;
    for (const [id, state] of await this.#source.jobStates(this.#jobs)) this.#states.set(id, state);
  }

  #forgetEnded(): void {
    const open = new Set(this.#open.map(({ run }) => run.id));
    for (const id of this.#shown.keys()) if (!open.has(id)) this.#shown.delete(id);
    const jobs = new Set(this.#jobs.map(({ id }) => id));
    for (const id of this.#states.keys()) if (!jobs.has(id)) this.#states.delete(id);
  }
}
