import { pushBehindAgents } from "./services/agents/push-agent.ts";
import { expireCredentials, orderForgottenCredentials } from "./services/credentials/sweep.ts";
import { createDeps } from "./services/deps.ts";
import type { Deps } from "./services/deps.ts";
import type { Env } from "./env.ts";
import { alert } from "./services/alerts/tick.ts";
import { forgetIdempotencyKeys } from "./services/idempotency/forget-keys.ts";
import { matchUnmatchedEvents } from "./services/incidents/match-unmatched.ts";
import { pruneLimitUses } from "./services/limits/prune-uses.ts";
import { releaseHeld } from "./services/maintenance/release.ts";
import { logError } from "./services/log.ts";
import { countKinds } from "./services/retention/count-kinds.ts";
import { deleteOldRecords } from "./services/retention/delete-old.ts";
import { repairNextRuns } from "./services/schedule/repair-next-runs.ts";
import { startDueWorkflows } from "./services/schedule/start-due.ts";
import { removeExpiredSignIns } from "./services/sessions/remove-expired.ts";
import { confirmCancelledJobs, confirmOldJobs } from "./services/sweep/confirm-jobs.ts";
import { reportForgottenFailures } from "./services/sweep/report-forgotten-failures.ts";
import { admitForgotten, endOverlongExecutions, wakeDueExecutions } from "./services/sweep/wake-due-executions.ts";
import { sendTraces } from "./services/traces/send-traces.ts";
import { pushBehindGates } from "./services/workflows/push-gate.ts";
import { failureMessage } from "./store/errors.ts";

const PUSHES_AT_ONCE = 200;

const MINUTE_TASKS: Record<string, (deps: Deps, now: number) => Promise<void>> = {
  startDueWorkflows,
  repairNextRuns,
  wakeDueExecutions,
  endOverlongExecutions,
  admitForgotten,
  reportForgottenFailures,
  releaseHeld,
  confirmOldJobs,
  confirmCancelledJobs,
  pushBehindGates: (deps) => pushBehindGates(deps, PUSHES_AT_ONCE),
  pushBehindAgents: (deps) => pushBehindAgents(deps, PUSHES_AT_ONCE),
  removeExpiredSignIns,
  matchUnmatchedEvents,
  pruneLimitUses,
  forgetIdempotencyKeys,
  expireCredentials,
  orderForgottenCredentials,
  deleteOldRecords,
  countKinds,
  alert,
  sendTraces,
};

/**
 * The work of the Cron Trigger every minute: starts schedules that are due, and sweeps for lost work. The tasks run
 * side by side: none waits for a slow one, and a failure stops no other. `scheduledTime` (epoch ms) is the tick's own;
 * a late tick uses the clock.
 */
export async function runTick(env: Env, scheduledTime: number): Promise<void> {
  const deps = createDeps(env);
  const now = Math.max(scheduledTime, deps.now());
  await Promise.all(
    Object.entries(MINUTE_TASKS).map(async ([task, perform]) => {
      try {
        await perform(deps, now);
      } catch (error) {
        logError("a task of the minute failed; it is tried again in a minute", { task, error: failureMessage(error) });
      }
    }),
  );
}
