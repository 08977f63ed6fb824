import { formatHeld } from "../schema/contract/agent.ts";
import type { HeartbeatRequest, HeartbeatResponse } from "../schema/contract/agent.ts";
import type { Activity } from "./activity.ts";
import { untilAborted } from "./clock.ts";
import type { Clock } from "./clock.ts";
import type { JobRunner } from "./job-runner.ts";
import type { Journal } from "./journal/index.ts";
import type { Log } from "./log.ts";
import type { Wait } from "./loop.ts";
import { adviceFor, backoffMs, jittered, nextStep } from "./service/retry.ts";
import { noteEnabled } from "./service/note-enabled.ts";
import type { Random } from "./service/retry.ts";
import type { ServiceLink } from "./service/link.ts";
import type { Vault } from "./vault/index.ts";
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
  /** A heartbeat was answered after one or more that failed. */
  onRecovered?: () => void;
}

/**
 * Reports to the service that this agent is alive, which leases it holds and which credentials it has, and learns what
 * was cancelled (docs/design/agent-protocol.md#heartbeats, #idle-agents).
 */
export class HeartbeatLoop {
  readonly #options: HeartbeatLoopOptions;
  #failures = 0;
  #isDraining = false;
  #hasSaidSo = false;
  /** `reportOf` the last heartbeat that was answered. */
  #reported = "";

  constructor(options: HeartbeatLoopOptions) {
    this.#options = options;
  }

  /** From now on heartbeats say that this agent shuts down. Called when no new job can begin. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Sends one heartbeat, unless none is due. Returns the wait until the next. */
  readonly tick = async (signal: AbortSignal): Promise<Wait> => {
    const { link, journal, runner, vault, activity, log, clock, random, heartbeatIntervalMs } = this.#options;
    try {
      await journal.tidy();
      // A vault made with another key opens when the service has accepted the key, which may never happen.
      await untilAborted(vault.refresh(), signal);
      const request = {
        held: [...journal.held(), ...runner.beginning()].map(formatHeld),
        load: runner.size,
        draining: this.#isDraining || undefined,
        version: AGENT_VERSION,
        credentials: vault.versions(),
      };
      const next = { delayMs: jittered(heartbeatIntervalMs, random), firm: false };
      if (this.#isIdle(request)) return next;
      let session = "";
      const opened = activity.wakeConnections;
      const answer = await link.call((client, current) => {
        session = current;
        return client.heartbeat(session, request, signal);
      }, signal);
      link.outage.answered("the heartbeat failed");
      const hasRecovered = this.#failures > 0;
      this.#failures = 0;
      this.#reported = reportOf(session, request, opened);
      if (request.draining === true && !this.#hasSaidSo) {
        this.#hasSaidSo = true;
        log.info("the service knows that this agent shuts down");
      }
      activity.heartbeats++;
      activity.lastHeartbeatAt = clock.now();
      this.#obey(answer);
      if (hasRecovered) this.#options.onRecovered?.();
      return next;
    } catch (error) {
      if (nextStep(error) === "stop") return { delayMs: heartbeatIntervalMs, firm: true };
      this.#failures++;
      const delayMs = Math.min(backoffMs(error, this.#failures, random), heartbeatIntervalMs);
      link.outage.failed("the heartbeat failed", error, {
        advice: adviceFor(error, link.hasRegistered) ?? undefined,
        retryInSeconds: Math.round(delayMs / 1_000),
      });
      return { delayMs, firm: true };
    }
  };

  /** The heartbeat would add nothing to the wake socket's sign of life: no lease is held, and nothing has changed. */
  #isIdle(request: HeartbeatRequest): boolean {
    const { activity, link } = this.#options;
    if (activity.pollAfterSeconds === null || request.held.length > 0) return false;
    return reportOf(link.session, request, activity.wakeConnections) === this.#reported;
  }

  #obey({ enabled, cancelled }: HeartbeatResponse): void {
    const { runner, activity, log } = this.#options;
    for (const ref of cancelled) runner.cancel(ref);
    noteEnabled(enabled, { activity, log });
  }
}

/**
 * Another session may belong to another pool, which knows nothing of this agent yet. The service closes the wake socket
 * when the agent's settings change, so the heartbeat after its next opening learns the new settings.
 */
function reportOf(session: string | null, request: HeartbeatRequest, socketsOpened: number): string {
  return JSON.stringify([session, request, socketsOpened]);
}
