import { formatHeld } from "../schema/contract/agent.ts";
import type { HeartbeatResponse } from "../schema/contract/agent.ts";
import type { Activity } from "./activity.ts";
import type { Clock } from "./clock.ts";
import type { JobRunner } from "./job-runner.ts";
import type { Journal } from "./journal.ts";
import { describeError } from "./log.ts";
import type { Log } from "./log.ts";
import type { Wait } from "./loop.ts";
import { adviceFor, backoffMs, jittered, nextStep } from "./service/retry.ts";
import { noteEnabled } from "./service/note-enabled.ts";
import type { Random } from "./service/retry.ts";
import type { ServiceLink } from "./service/link.ts";
import type { Vault } from "./vault.ts";
import { AGENT_VERSION } from "./version.ts";

export interface HeartbeatLoopOptions {
  link: ServiceLink;
  journal: Journal;
  runner: JobRunner;
  vault: Vault;
  activity: Activity;
  log: Log;
  clock: Clock;
  random: Random;
  heartbeatIntervalMs: number;
}

/** Tells the service that this agent lives, what it holds and which credentials it has; hears what was cancelled. */
export class HeartbeatLoop {
  readonly #options: HeartbeatLoopOptions;
  #failures = 0;
  #isDraining = false;
  #hasSaidSo = false;

  constructor(options: HeartbeatLoopOptions) {
    this.#options = options;
  }

  /** From now on it says that this agent shuts down. Called when nothing begins any more. */
  drain(): void {
    this.#isDraining = true;
  }

  /** One heartbeat; says how long to wait until the next. */
  readonly tick = async (signal: AbortSignal): Promise<Wait> => {
    const { link, journal, runner, vault, activity, log, clock, random, heartbeatIntervalMs } = this.#options;
    try {
      await journal.tidy();
      await vault.refresh();
      const request = {
        held: [...journal.held(), ...runner.beginning()].map(formatHeld),
        load: runner.size,
        draining: this.#isDraining || undefined,
        version: AGENT_VERSION,
        credentials: vault.versions(),
      };
      const answer = await link.call((client, session) => client.heartbeat(session, request, signal), signal);
      this.#failures = 0;
      if (request.draining === true && !this.#hasSaidSo) {
        this.#hasSaidSo = true;
        log.info("the service knows that this agent shuts down");
      }
      activity.heartbeats++;
      activity.lastHeartbeatAt = clock.now();
      this.#obey(answer);
      return { delayMs: jittered(heartbeatIntervalMs, random), firm: false };
    } catch (error) {
      if (nextStep(error) === "stop") return { delayMs: heartbeatIntervalMs, firm: true };
      this.#failures++;
      const delayMs = Math.min(backoffMs(error, this.#failures, random), heartbeatIntervalMs);
      log.warning("the heartbeat failed", {
        error: describeError(error),
        advice: adviceFor(error, link.hasRegistered) ?? undefined,
        retryInSeconds: Math.round(delayMs / 1_000),
      });
      return { delayMs, firm: true };
    }
  };

  #obey({ enabled, cancelled }: HeartbeatResponse): void {
    const { runner, activity, log } = this.#options;
    for (const ref of cancelled) runner.cancel(ref);
    noteEnabled(enabled, { activity, log });
  }
}
