import { FINISHED_JOB_IDS_KEEP_MS, OFFLINE_AFTER_MS } from "../../../schema/limits.ts";
import { heartbeatAgeMs } from "../../actors/dispatcher/rules/agent-status.ts";
import { endJob } from "../../actors/dispatcher/rules/job.ts";
import { logError } from "../log.ts";
import { deadlineOf } from "./deadlines.ts";
import { dispatchWaiting } from "./dispatch-waiting.ts";
import { loseJobsOf, lostFrom } from "./lost-jobs.ts";
import { nextDue, nextPrune } from "./pool.ts";
import type { Pool } from "./pool.ts";
import { reviewWaiting } from "./review.ts";
import { passOnTold } from "./take-told.ts";
import { tellEnds } from "./tell-ends.ts";
import { tellToPoll } from "./tell-to-poll.ts";
import { WaitingReasons } from "./waiting-reasons.ts";

/** Should the work end half-way with its object, the next alarm rings then. */
const SAFETY_ALARM_MS = 30_000;

const DUTIES: Record<string, (pool: Pool) => void | Promise<void>> = {
  noticeSilence,
  endOverdue,
  dispatchWaiting,
  tellEnds,
  reviewWhenDue,
  flushWhenDue,
  recordWhenDue,
  passOnToldWhenDue,
  watchWhenDue,
  pruneWhenDue,
  forgetWhenDue,
};

/**
 * What a Pool does when its alarm rings: all that is due, each duty by itself. Never throws, and arms the alarm before
 * and after: the platform drops an alarm after six failures (design 3, "Alarms").
 */
export async function keepTime(pool: Pool): Promise<void> {
  pool.alarm.rang();
  pool.alarm.set(pool.world.now() + SAFETY_ALARM_MS);
  for (const [duty, perform] of Object.entries(DUTIES)) {
    try {
      await perform(pool);
    } catch (error) {
      logError("a duty of a Pool failed; it is tried again", { duty, error: String(error) });
    }
  }
  const due = nextDue(pool);
  // What a failed duty left due must not ring at once and for ever.
  pool.alarm.set(due === null ? null : Math.max(due, pool.world.now() + 100));
}

function noticeSilence(pool: Pool): void {
  const now = pool.world.now();
  let hasGone = false;
  for (const agent of pool.agents.members()) {
    const { agentId } = agent.settings;
    const age = heartbeatAgeMs(agent.presence, pool.agents.graceFrom, now);
    if (age !== null && age >= OFFLINE_AFTER_MS) {
      pool.agents.goneOffline(agent, "silent", now);
      hasGone = true;
      pool.changed.add(agentId);
      pool.jobs.releaseAllOf(agentId);
    }
  }
  if (hasGone) pool.agents.savePresence(now);
  const losers = new Set<string>();
  for (const live of pool.jobs.all()) {
    const { stage } = live.job;
    if (stage.type === "delivered" && (lostFrom(live, pool.agents) ?? Infinity) <= now) losers.add(stage.agentId);
  }
  for (const agentId of losers) loseJobsOf(pool, agentId, now);
}

function endOverdue(pool: Pool): void {
  const now = pool.world.now();
  const reasons = new WaitingReasons(pool, now);
  const holders = new Set<string>();
  for (const live of pool.jobs.all()) {
    const deadline = live.busy === null ? deadlineOf(live, pool.agents) : null;
    if (deadline === null || deadline.at > now) continue;
    const why = deadline.end === "queue_timeout" ? `It waited: ${reasons.of(live).reason}` : null;
    // Whoever works at it is to stop.
    if (live.job.stage.type === "delivered") holders.add(live.job.stage.agentId);
    pool.jobs.change(live, endJob(live.job, deadline.end, now, why));
  }
  tellToPoll(pool, holders);
}

async function reviewWhenDue(pool: Pool): Promise<void> {
  const { reviewAt } = pool.timers;
  if (reviewAt !== null && reviewAt <= pool.world.now()) await reviewWaiting(pool);
}

/** When agents were last heard goes to the Pool's own disk (invariant 7). */
function flushWhenDue({ timers, agents, world }: Pool): void {
  if (timers.flushAt === null || timers.flushAt > world.now()) return;
  timers.flushAt = null;
  agents.savePresence(world.now());
}

/** The same goes to libSQL, for all agents at once and more seldom: it is looked at only while the Pool does not answer. */
async function recordWhenDue({ agents, world }: Pool): Promise<void> {
  if ((agents.records.dueAt ?? Infinity) > world.now()) return;
  const heartbeats = agents.takeUnrecorded();
  try {
    await world.flushHeartbeats(heartbeats);
    agents.records.succeeded(world.now());
  } catch (error) {
    agents.records.failed(
      heartbeats.map(({ agentId }) => agentId),
      world.now(),
    );
    throw error;
  }
}

async function passOnToldWhenDue(pool: Pool): Promise<void> {
  const { tellCredentialsAt } = pool.timers;
  if (tellCredentialsAt !== null && tellCredentialsAt <= pool.world.now()) await passOnTold(pool);
}

function watchWhenDue({ agents, jobs, world }: Pool): void {
  const now = world.now();
  const watchAt = agents.watchAt(jobs.holders().length > 0);
  if (watchAt !== null && watchAt <= now) agents.savePresence(now);
}

function pruneWhenDue({ timers, storage, world }: Pool): void {
  const now = world.now();
  if (timers.pruneAt === null || timers.pruneAt > now) return;
  storage.deleteFinished(now - FINISHED_JOB_IDS_KEEP_MS);
  timers.pruneAt = nextPrune(storage);
}

/** A Pool through which many short-lived agents go must not carry all of them for ever. */
function forgetWhenDue({ agents, jobs, world }: Pool): void {
  const now = world.now();
  if ((agents.forgetAt ?? Infinity) <= now) agents.forgetRemoved(now, (agentId) => jobs.countHeldBy(agentId) > 0);
}
