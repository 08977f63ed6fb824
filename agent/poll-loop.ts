import type { LeaseRef } from "../schema/contract/agent.ts";
import type { Activity } from "./activity.ts";
import { elapsedMs, momentOf } from "./clock.ts";
import type { Clock, Moment } from "./clock.ts";
import { takeIn } from "./jobs/intake.ts";
import type { JobRunner } from "./job-runner.ts";
import type { Journal } from "./journal/index.ts";
import type { Log } from "./log.ts";
import type { Wait } from "./loop.ts";
import type { Pulse } from "./pulse.ts";
import type { ResultSender } from "./jobs/result-sender.ts";
import { adviceFor, backoffMs, jittered, nextStep } from "./service/retry.ts";
import type { Random } from "./service/retry.ts";
import type { ServiceLink } from "./service/link.ts";

/** As many as the query of a poll can carry; what is held beyond is told by the next heartbeat, and runs once anyway. */
const HELD_MAX = 100;
/** Far more than any agent has room for; to look at each of a million would keep it from everything else. */
const JOBS_READ_MAX = 1_000;

export interface PollLoopOptions {
  link: ServiceLink;
  journal: Journal;
  runner: JobRunner;
  sender: ResultSender;
  activity: Activity;
  log: Log;
  clock: Clock;
  random: Random;
  /** Beats with every sign of life; what watches it knows what silence means. */
  pulse: Pulse;
  /** A poll was answered. */
  onPolled?: () => void;
  pollIntervalMs: number;
  maxConcurrentJobs: number;
}

/** Fetches jobs, has them run, and takes back what the service cancelled (docs/design/agent-protocol.md#polls). */
export class PollLoop {
  readonly #options: PollLoopOptions;
  /** How many came to an end, whatever end. */
  rounds = 0;
  #failures = 0;
  #lastLeft = "";

  constructor(options: PollLoopOptions) {
    this.#options = options;
  }

  /** One poll; says how long to wait until the next. After useful work, with room left, that is not at all. */
  readonly tick = async (signal: AbortSignal): Promise<Wait> => {
    // It may have been woken long before the end of the wait that it spoke of.
    this.#options.pulse.beat();
    const wait = await this.#poll(signal);
    // A tick that was left behind, and ends after all, says nothing about the loop that goes on.
    if (!signal.aborted) {
      this.rounds++;
      this.#options.pulse.beat(wait.delayMs);
    }
    return wait;
  };

  /** It was seen to: a poll that fails now is the first of its kind again. */
  serviceAnswers(): void {
    this.#failures = 0;
  }

  async #poll(signal: AbortSignal): Promise<Wait> {
    const { pulse, link, journal, runner, sender, activity, clock, random, pollIntervalMs } = this.#options;
    try {
      await journal.recover();
      pulse.beat();
      await sender.send(signal);
      // Without room it asks all the same: the answer names what was cancelled.
      const capacity = this.#capacity();
      pulse.beat();
      const held = journal.held().slice(0, HELD_MAX);
      const asked = { sentAt: momentOf(clock) };
      const answer = await link.call((client, session) => {
        // The time counts from the call that is answered, not from the wait for a registration before it.
        asked.sentAt = momentOf(clock);
        return client.jobs(session, { capacity, held }, signal);
      }, signal);
      pulse.beat();
      link.outage.answered("polling failed");
      const hasRecovered = this.#failures > 0;
      this.#failures = 0;
      activity.polls++;
      activity.lastPollAt = clock.now();
      activity.pollAfterSeconds = activity.wake === "connected" ? (answer.pollAfterSeconds ?? null) : null;
      const begun = await this.#takeIn(answer.jobs, asked.sentAt, signal);
      for (const ref of answer.cancelled) runner.cancel(ref);
      this.#options.onPolled?.();
      if (hasRecovered) await sender.serviceAnswers(signal);
      const goOn = begun > 0 && this.#capacity() > 0;
      const intervalMs = this.#intervalMs(answer.jobs.length);
      const delayMs = Math.min(jittered(intervalMs, random), sender.againInMs ?? Number.POSITIVE_INFINITY);
      return { delayMs: goOn ? 0 : delayMs, firm: false };
    } catch (error) {
      if (nextStep(error) === "stop") return { delayMs: pollIntervalMs, firm: true };
      this.#failures++;
      // Not POLL_INTERVAL, which may be an hour: until the next try nothing wakes this agent.
      const delayMs = backoffMs(error, this.#failures, random);
      link.outage.failed("polling failed", error, {
        advice: adviceFor(error, link.hasRegistered) ?? undefined,
        retryInSeconds: Math.round(delayMs / 1_000),
      });
      return { delayMs, firm: true };
    }
  }

  /** What the service allows an idle agent holds for one that could take jobs and got none; POLL_INTERVAL may be longer. */
  #intervalMs(jobs: number): number {
    const { activity, journal, pollIntervalMs } = this.#options;
    const allowedMs = 1_000 * (activity.pollAfterSeconds ?? 0);
    return jobs === 0 && journal.takesNewJobs ? Math.max(pollIntervalMs, allowedMs) : pollIntervalMs;
  }

  /** How many new jobs to ask for. */
  #capacity(): number {
    return this.#options.journal.takesNewJobs ? this.#room() : 0;
  }

  #room(): number {
    const { journal, runner, maxConcurrentJobs } = this.#options;
    return journal.writable ? Math.max(0, maxConcurrentJobs - runner.size) : 0;
  }

  /** Gives how many jobs began. What was refused is no useful work, after which the next poll would come at once. */
  async #takeIn(jobs: readonly unknown[], sentAt: Moment, signal: AbortSignal): Promise<number> {
    const { journal, runner, sender, log, clock } = this.#options;
    const begun: Promise<boolean>[] = [];
    const refused: Promise<boolean>[] = [];
    const left = { nameless: 0, no_room: 0, too_late: 0 };
    let owed = false;
    let room = this.#room();
    const seen = new Set<string>();
    left.no_room += Math.max(0, jobs.length - JOBS_READ_MAX);
    for (const raw of jobs.slice(0, JOBS_READ_MAX)) {
      if (signal.aborted) break;
      const decision = takeIn(raw, {
        newestOf: (jobId) => journal.newestOf(jobId),
        byLease: (ref) => journal.byLease(ref),
        room,
        elapsedMs: elapsedMs(clock, sentAt),
      });
      switch (decision.do) {
        case "start":
          if (!isFirst(seen, { jobId: decision.job.id, lease: decision.job.lease })) break;
          room--;
          begun.push(runner.start(decision.job, sentAt));
          break;
        case "refuse":
          if (!isFirst(seen, decision.ref)) break;
          room--;
          owed = true;
          // One line a poll: the others are told to the service, each with its reason.
          if (refused.length === 0) {
            const { ref, failure } = decision;
            log.error("the service sent a job that this agent cannot read", { ...ref, error: failure });
          }
          refused.push(runner.refuse(decision.ref, decision.failure));
          break;
        case "owe":
          log.info("a job that began here was delivered again: it does not run twice", { jobId: decision.entry.jobId });
          await journal.owe(decision.entry, decision.lease);
          owed ||= decision.entry.finished !== null;
          break;
        case "nothing":
          break;
        case "drop":
          left[decision.why]++;
          break;
      }
    }
    this.#noteLeft(left);
    const results = await Promise.all(begun);
    await Promise.all(refused);
    if (owed) await sender.send(signal);
    return results.filter((did) => did).length;
  }

  /** The service offers what was left with every poll: said once until it changes. */
  #noteLeft(left: Readonly<Record<string, number>>): void {
    const counts = JSON.stringify(left);
    if (counts === this.#lastLeft) return;
    this.#lastLeft = counts;
    if (Object.values(left).some((count) => count > 0)) {
      this.#options.log.warning("jobs were left with the service", left);
    }
  }
}

/** One answer may name a job once; a second mention is no second job. */
function isFirst(seen: Set<string>, { jobId }: LeaseRef): boolean {
  if (seen.has(jobId)) return false;
  seen.add(jobId);
  return true;
}
