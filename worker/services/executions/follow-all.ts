import {
  STREAM_HEARTBEAT_MS,
  STREAM_MAX_MS,
  STREAM_RETRY_MS,
  followExecutionsQuerySchema,
} from "../../../schema/contract/execution-event.ts";
import type { ExecutionStatus, ExecutionSummary } from "../../../schema/contract/execution.ts";
import { readStepsAfter } from "../../store/execution-events.ts";
import type { SequencedStep } from "../../store/execution-events.ts";
import { findExecution } from "../../store/execution-reads.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import { parseInput } from "../parse.ts";
import type { FeedPage } from "../ports.ts";
import { reach } from "../unavailable.ts";
import { parseLastEventId, realClock, settle, within } from "./events-stream.ts";
import type { Settled, StreamClock, StreamEvent } from "./events-stream.ts";
import { reconnect } from "./follow-stream.ts";
import { toSummary } from "./view.ts";
import { whileAllowed } from "./while-allowed.ts";
import type { StreamAccess } from "./while-allowed.ts";

/** A client that is further behind reads the list again: that costs less than all the steps since. */
const MAX_STEPS_BEHIND = 5_000;
const CATCH_UP_STEPS = 200;
const TRY_AGAIN_MS = 1_000;

export interface ListFilter {
  readonly workflowId?: string | undefined;
  readonly status?: ExecutionStatus | undefined;
}

/** The source of the steps of all executions. */
export interface ListSource {
  next(after: number | null): Promise<FeedPage>;
  after(seq: number): Promise<{ seq: number; steps: SequencedStep[] }>;
  /** An execution whose trigger was too long for the step. */
  load(id: string): Promise<ExecutionSummary | null>;
}

/** Follows all executions (`listStream`). Throws `invalid_request` and `unavailable` before the stream begins. */
export async function followExecutions(
  deps: Deps,
  query: unknown,
  lastEventId: string | undefined,
  access: StreamAccess,
): Promise<AsyncGenerator<StreamEvent, void>> {
  const filter = parseInput(followExecutionsQuerySchema, query);
  const after = parseLastEventId(lastEventId);
  const feed = deps.objects.executionFeed();
  const { seq } = await reach("The executions cannot be followed.", () => feed.next(null));
  const source: ListSource = {
    next: (after) => feed.next(after),
    after: (seq) => readStepsAfter(deps.db, seq, CATCH_UP_STEPS),
    load: async (id) => {
      const row = await findExecution(deps.db, id);
      return row === null ? null : toSummary(row);
    },
  };
  const events = listStream(source, filter, { seq, after, endsAt: access.endsAt }, realClock);
  return whileAllowed(events, access, realClock);
}

/** Executions that begin, change or end, from now on or from a client's mark, in the order of their steps. */
export async function* listStream(
  source: ListSource,
  filter: ListFilter,
  from: { seq: number; after: number | null; endsAt?: number | null },
  clock: StreamClock,
): AsyncGenerator<StreamEvent, void> {
  const until = Math.min(clock.now() + STREAM_MAX_MS, from.endsAt ?? Infinity);
  let silentSince = clock.now();
  let waiting: Promise<Settled<FeedPage>> | null = null;
  let seq = from.after ?? from.seq;
  yield { retryMs: STREAM_RETRY_MS };
  if (from.after === null) yield { event: "ready", id: seq, data: { seq } };
  for (;;) {
    const now = clock.now();
    if (now >= until) return yield reconnect("This stream has reached its time limit. Connect again.");
    const known = seq;
    waiting ??= settle(() => source.next(known));
    const answer = await within(clock, waiting, Math.max(0, Math.min(silentSince + STREAM_HEARTBEAT_MS, until) - now));
    if (answer !== null) waiting = null;
    const page = await settle(() => pageOf(source, seq, answer));
    if (!page.ok) {
      logWarning("the executions that changed could not be read", { error: String(page.error) });
      await clock.sleep(TRY_AGAIN_MS);
    } else if (page.value.type === "resync") {
      seq = page.value.seq;
      silentSince = clock.now();
      yield { event: "resync", id: seq, data: { seq, reason: page.value.reason } };
    } else {
      for (const step of page.value.steps) {
        const event = await settle(() => eventOf(source, filter, step));
        if (!event.ok) {
          await clock.sleep(TRY_AGAIN_MS);
          break;
        }
        seq = step.seq;
        if (event.value === null) continue;
        silentSince = clock.now();
        yield event.value;
      }
      // Steps that the page left out count as seen, too, but only after those that it has.
      if (page.value.steps.every((step) => step.seq <= seq)) seq = Math.max(seq, page.value.seq);
    }
    if (clock.now() - silentSince >= STREAM_HEARTBEAT_MS) {
      silentSince = clock.now();
      // With the mark, so that a client that reconnects skips steps that were filtered out.
      yield { heartbeat: true, id: seq };
    }
  }
}

type Page =
  | { type: "steps"; seq: number; steps: readonly SequencedStep[] }
  | { type: "resync"; seq: number; reason: string };

async function pageOf(source: ListSource, after: number, answer: Settled<FeedPage> | null): Promise<Page> {
  if (answer === null) return { type: "steps", seq: after, steps: [] };
  if (!answer.ok) throw answer.error;
  const page = answer.value;
  switch (page.type) {
    case "steps":
      return page;
    case "resync":
      return { ...page, reason: "The sequence of events has restarted. Read the list again." };
    case "behind":
      if (page.seq - after > MAX_STEPS_BEHIND) {
        return { type: "resync", seq: page.seq, reason: "Too many events were missed. Read the list again." };
      }
      return { type: "steps", ...(await source.after(after)) };
  }
}

/** Null for an execution that the filter excludes. `running` lets ended ones through: the client must see them end. */
async function eventOf(
  source: ListSource,
  filter: ListFilter,
  { seq, execution }: SequencedStep,
): Promise<StreamEvent | null> {
  const { trigger } = execution;
  if (filter.workflowId !== undefined && execution.workflowId !== filter.workflowId) return null;
  if (filter.status !== undefined && filter.status !== "running" && execution.status !== filter.status) return null;
  const data = trigger === null ? await source.load(execution.id) : toSummary({ ...execution, trigger });
  return data === null ? null : { event: "execution", id: seq, data };
}
