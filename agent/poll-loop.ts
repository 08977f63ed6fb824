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

/** As many leases as a poll's query can carry. The next heartbeat reports the others, and no job runs twice. */
const HELD_MAX = 100;
/** Far more jobs than any agent has room for. Reading a million of them would block all other work. */
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
  /** Beats with every sign of life, for the watchdog. */
  pulse: Pulse;
  /** A poll was answered. */
  onPolled?: () => void;
  pollIntervalMs: number;
  maxConcurrentJobs: number;
}

/** Fetches jobs, starts them, and stops the cancelled ones (docs/design/agent-protocol.md#polls). */
export class PollLoop {
  readonly #options: PollLoopOptions;
  /** Finished ticks, successful or not. */
  rounds = 0;
  #failures = 0;
  #lastLeft = "";

  constructor(options: PollLoopOptions) {
    this.#options = options;
  }

  /** One poll. Returns the wait until the next, which is 0 after useful work when room is left. */
  readonly tick = async (signal: AbortSignal): Promise<Wait> => {
    // A wake-up may have ended the announced wait early.
    this.#options.pulse.beat();
    const wait = await this.#poll(signal);
    // An abandoned tick that ends late says nothing about the loop that replaced it.
    if (!signal.aborted) {
      this.rounds++;
      this.#options.pulse.beat(wait.delayMs);
    }
    return wait;
  };

  /** The service answers again: the next failed poll counts as the first. */
  serviceAnswers(): void {
    this.#failures = 0;
  }

  async #poll(signal: AbortSignal): Promise<Wait> {
    const { pulse, link, journal, runner, sender, activity, clock, random, pollIntervalMs } = this.#options;
    try {
      await journal.recover();
      pulse.beat();
      await sender.send(signal);
      // Polls even without room: the answer names cancelled leases.
      const capacity = this.#capacity();
      pulse.beat();
      const held = journal.held().slice(0, HELD_MAX);
      const asked = { sentAt: momentOf(clock) };
      const answer = await link.call((client, session) => {
        // The time counts from the answered call, not from the wait for a registration before it.
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
      // Not POLL_INTERVAL, which may be an hour: until the next attempt nothing wakes this agent.
      const delayMs = backoffMs(error, this.#failures, random);
      link.outage.failed("polling failed", error, {
        advice: adviceFor(error, link.hasRegistered) ?? undefined,
        retryInSeconds: Math.round(delayMs / 1_000),
      });
      return { delayMs, firm: true };
    }
  }

  /** `pollAfterSeconds` applies to an agent that could take jobs and got none. POLL_INTERVAL may be longer. */
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

  /** Returns how many jobs began. A refused job is no useful work, so the next poll does not follow immediately. */
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
          // One line per poll in the log. The service gets every job's own reason.
          if (refused.length === 0) {
            const { ref, failure } = decision;
            log.error("the service sent a job that this agent cannot read", { ...ref, error: failure });
          }
          refused.push(runner.refuse(decision.ref, decision.failure));
          break;
        case "owe":
          log.info("a job that has begun here was delivered again: it does not run a second time", {
            jobId: decision.entry.jobId,
          });
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

  /** The service offers these jobs again with every poll, so they are logged only when the counts change. */
  #noteLeft(left: Readonly<Record<string, number>>): void {
    const counts = JSON.stringify(left);
    if (counts === this.#lastLeft) return;
    this.#lastLeft = counts;
    if (Object.values(left).some((count) => count > 0)) {
      this.#options.log.warning("the agent left jobs with the service", left);
    }
  }
}

/** A second mention of a job in one answer is ignored. */
function isFirst(seen: Set<string>, { jobId }: LeaseRef): boolean {
  if (seen.has(jobId)) return false;
  seen.add(jobId);
  return true;
}
