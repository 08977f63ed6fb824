import {
  TRACE_PASS_MAX_MS,
  TRACE_PORTION_EXECUTIONS,
  TRACE_RETRY_MAX_MS,
  TRACE_RETRY_MIN_MS,
} from "../../../schema/limits.ts";
import { claimTraces, dropOverflow, endTracePass, findTraceProgress, oldestTraces } from "../../store/traces.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import { sendPortion } from "./send-portion.ts";
import type { PortionFailure } from "./send-portion.ts";

/** Longer than a pass whose receiver is slow; after a crash the next pass begins then. */
const CLAIM_MS = 5 * 60_000;

/**
 * Sends the spans of executions that have ended, in portions, the oldest first. A failure ends the pass; its spans are
 * sent again after a time that doubles, or that the receiver names. Nothing of a run waits for it.
 */
export async function sendTraces(deps: Deps): Promise<void> {
  const { db, settings } = deps;
  if (settings.tracing === null) return;
  await dropOverflow(db);
  if ((await oldestTraces(db, 1)).length === 0) return;
  const began = deps.now();
  if (!(await claimTraces(db, began, began + CLAIM_MS))) return;
  while (deps.now() < began + TRACE_PASS_MAX_MS) {
    const ids = await oldestTraces(db, TRACE_PORTION_EXECUTIONS);
    if (ids.length === 0) break;
    const failure = await sendPortion(deps, settings.tracing, ids);
    if (failure !== null) return endFailed(deps, failure);
  }
  await endTracePass(db, { notBefore: 0, failures: 0, failingSince: null, error: null });
}

async function endFailed({ db, now }: Deps, { reason, retryAfterMs }: PortionFailure): Promise<void> {
  const before = await findTraceProgress(db);
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
