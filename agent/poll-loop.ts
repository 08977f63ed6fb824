import type { LeaseRef } from "../schema/contract/agent.ts";
import type { Activity } from "./activity.ts";
import { elapsedMs, momentOf } from "./clock.ts";
import type { Clock, Moment } from "./clock.ts";
import { takeIn } from "./jobs/intake.ts";
import type { JobRunner } from "./job-runner.ts";
import type { Journal } from "./journal.ts";
import { describeError } from "./log.ts";
import type { Log } from "./log.ts";
import type { Wait } from "./loop.ts";
import type { ResultSender } from "./jobs/result-sender.ts";
import { adviceFor, backoffMs, jittered, nextStep } from "./service/retry.ts";
import type { Random } from "./service/retry.ts";
import type { ServiceLink } from "./service/link.ts";

/** As many as the query of a poll can carry; what is held beyond is told by the next heartbeat, and runs once anyway. */
const HELD_MAX = 100;

export interface PollLoopOptions {
  link: ServiceLink;
  journal: Journal;
  runner: JobRunner;
  sender: ResultSender;
  activity: Activity;
  log: Log;
  clock: Clock;
  random: Random;
  pollIntervalMs: number;
  maxConcurrentJobs: number;
}

/** Fetches jobs, has them run, and takes back what the service cancelled (specification, "Agent lifecycle"). */
export class PollLoop {
  readonly #options: PollLoopOptions;
  #failures = 0;

  constructor(options: PollLoopOptions) {
    this.#options = options;
  }

  /** One poll; says how long to wait until the next. After useful work, with room left, that is not at all. */
  readonly tick = async (signal: AbortSignal): Promise<Wait> => {
    const { link, journal, runner, sender, activity, log, clock, random, pollIntervalMs } = this.#options;
    try {
      await journal.recover();
      await sender.send(signal);
      const capacity = this.#room();
      const held = journal.held().slice(0, HELD_MAX);
      const asked = { sentAt: momentOf(clock) };
      const answer = await link.call((client, session) => {
        // The time counts from the call that is answered, not from the wait for a registration before it.
        asked.sentAt = momentOf(clock);
        return client.jobs(session, { capacity, held }, signal);
      }, signal);
      this.#failures = 0;
      activity.polls++;
      activity.lastPollAt = clock.now();
      const begun = await this.#takeIn(answer.jobs, asked.sentAt, signal);
      for (const ref of answer.cancelled) runner.cancel(ref);
      const goOn = begun > 0 && this.#room() > 0;
      return { delayMs: goOn ? 0 : jittered(pollIntervalMs, random), firm: false };
    } catch (error) {
      if (nextStep(error) === "stop") return { delayMs: pollIntervalMs, firm: true };
      this.#failures++;
      const delayMs = Math.max(backoffMs(error, this.#failures, random), jittered(pollIntervalMs, random));
      log.warning("polling failed", {
        error: describeError(error),
        advice: adviceFor(error) ?? undefined,
        retryInSeconds: Math.round(delayMs / 1_000),
      });
      return { delayMs, firm: true };
    }
  };

  #room(): number {
    const { journal, runner, maxConcurrentJobs } = this.#options;
    return journal.writable ? Math.max(0, maxConcurrentJobs - runner.size) : 0;
  }

  /** Gives how many jobs began or were answered for. */
  async #takeIn(jobs: readonly unknown[], sentAt: Moment, signal: AbortSignal): Promise<number> {
    const { journal, runner, sender, log, clock } = this.#options;
    const begun: Promise<boolean>[] = [];
    const dropped = { nameless: 0, no_room: 0, too_late: 0 };
    let owed = false;
    let room = this.#room();
    const seen = new Set<string>();
    for (const raw of jobs) {
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
          begun.push(runner.start(decision.job));
          break;
        case "refuse":
          if (!isFirst(seen, decision.ref)) break;
          room--;
          owed = true;
          log.error("the service sent a job that this agent cannot read", { ...decision.ref, ...decision.failure });
          begun.push(runner.refuse(decision.ref, decision.failure));
          break;
        case "owe":
          log.info("a job that began here was delivered again: it does not run twice", { jobId: decision.entry.jobId });
          await journal.owe(decision.entry, decision.lease);
          owed ||= decision.entry.finished !== null;
          break;
        case "nothing":
          break;
        case "drop":
          dropped[decision.why]++;
          break;
      }
    }
    if (Object.values(dropped).some((count) => count > 0)) log.warning("jobs were left with the service", dropped);
    const results = await Promise.all(begun);
    if (owed) await sender.send(signal);
    return results.filter((did) => did).length;
  }
}

/** One answer may name a job once; a second mention is no second job. */
function isFirst(seen: Set<string>, { jobId }: LeaseRef): boolean {
  if (seen.has(jobId)) return false;
  seen.add(jobId);
  return true;
}
