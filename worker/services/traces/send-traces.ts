import {
  TRACE_PASS_MAX_MS,
  TRACE_PORTION_EXECUTIONS,
  TRACE_RETRY_MAX_MS,
  TRACE_RETRY_MIN_MS,
} from "../../../schema/limits.ts";
import {
  claimTraces,
  dropOverflow,
  endTracePass,
  findTraceProgress,
  forgetTraces,
  oldestTraces,
} from "../../store/traces.ts";
import type { TraceProgressRow } from "../../store/traces.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import { sendPortion } from "./send-portion.ts";
import type { PortionFailure } from "./send-portion.ts";

/** Longer than a pass whose receiver is slow; after a crash the next pass begins then. */
const CLAIM_MS = 5 * 60_000;
const SUCCEEDED = { notBefore: 0, failures: 0, failingSince: null, error: null };

/**
 * Sends the spans of executions that have ended, in portions, the oldest first. A failure ends the pass; its spans are
 * sent again after a time that doubles, or that the receiver names. Nothing of a run waits for it.
 */
export async function sendTraces(deps: Deps): Promise<void> {
  const { db, settings } = deps;
  if (settings.tracing === null) return forgetTraces(db);
  await dropOverflow(db);
  let before = await findTraceProgress(db);
  if ((await oldestTraces(db, 1)).length === 0) {
    // What was refused or dropped has left the queue.
    if (before !== null && before.failures > 0) await endTracePass(db, SUCCEEDED);
    return;
  }
  const began = deps.now();
  const endAt = began + TRACE_PASS_MAX_MS;
  if (!(await claimTraces(db, began, began + CLAIM_MS))) return;
  while (deps.now() < endAt) {
    const queued = await oldestTraces(db, TRACE_PORTION_EXECUTIONS);
    if (queued.length === 0) break;
    const end = await sendPortion(deps, settings.tracing, queued, { endAt, failures: before?.failures ?? 0 });
    if (end.hasTaken) before = null;
    if (end.failure !== null) return endFailed(deps, before, end.failure);
  }
  await endTracePass(db, SUCCEEDED);
}

/** `before` is the progress without a success since. */
async function endFailed(
  { db, now }: Deps,
  before: TraceProgressRow | null,
  { reason, retryAfterMs }: PortionFailure,
): Promise<void> {
  const failures = (before?.failures ?? 0) + 1;
  const pauseMs = Math.max(retryAfterMs ?? 0, TRACE_RETRY_MIN_MS * 2 ** (failures - 1));
  logWarning("spans could not be sent", { error: reason });
  await endTracePass(db, {
    notBefore: now() + Math.min(pauseMs, TRACE_RETRY_MAX_MS),
    failures,
    failingSince: before?.failingSince ?? now(),
    error: reason,
  });
}
