import { AGENT_API_PATH, SESSION_HEADER } from "../../schema/contract/agent.ts";
import type { Activity, WakeState } from "../activity.ts";
import { sleep } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Random } from "../service/retry.ts";
import { AGENT_VERSION } from "../version.ts";
import { afterEnd } from "./after-end.ts";
import { holdConnection, WAKE_LIMITS } from "./connection.ts";
import type { WakeEnd, WakeLimits, WakeTarget } from "./connection.ts";
import { askRetryAfter } from "./retry-after.ts";

const HEALTHY_AFTER_MS = 60_000;
/** When the service restarts, all agents lose their sockets at the same moment. */
const LOST_SPREAD_MAX_MS = 5_000;
/** The socket then has the rest of the spread to open. If it opens in time, only one poll follows: that of the socket. */
const REOPENING_SHARE = 0.8;
const POLLING_GOES_ON = "until then jobs are fetched every POLL_INTERVAL";

export interface WakeSocketOptions {
  /** The deployment's address. */
  apiUrl: string;
  apiKey: string;
  /** Null for a direct connection; see `proxyFor`. */
  proxy: string | null;
  /** The session of the newest registration; null before the first. */
  session: () => string | null;
  /** Called once per connection: the service answers, and wake-ups may have been missed. */
  onOpened: () => void;
  /** There may be something to fetch. */
  onWake: () => void;
  /** The connection that let this agent call less often was lost some time ago, and the next one is not open yet. */
  onLost: () => void;
  /** The service no longer knows the session or the key. The next poll finds out which. */
  onSessionOver: () => void;
  /** No agent without a socket polls later than this. */
  pollIntervalMs: number;
  activity: Activity;
  log: Log;
  clock: Clock;
  random: Random;
  limits?: WakeLimits;
  wait?: typeof sleep;
}

/**
 * The wake socket (docs/design/agent-protocol.md#wake-socket). Of the calls after a loss the new socket comes first, so
 * that one poll is enough when it opens.
 */
export class WakeSocket {
  readonly #options: WakeSocketOptions;
  readonly #stop = new AbortController();
  #done: Promise<void> | null = null;
  /** Ends the connection, or the wait for the next, because the session has changed. */
  #renewal = new AbortController();
  /** Ends the wait for `onLost`. */
  #reopened = new AbortController();
  #session: string | null = null;
  #failures = 0;
  /** Whether an outage, or the absence of a wake socket, was logged already. */
  #reported: "outage" | "unsupported" | null = null;

  constructor(options: WakeSocketOptions) {
    this.#options = options;
  }

  /** Opens the socket after the first poll, which it must not delay, and again after a new registration. */
  polled(): void {
    const session = this.#options.session();
    if (session === null || this.#stop.signal.aborted) return;
    if (this.#done === null) {
      this.#done = this.#run();
      return;
    }
    if (session !== this.#session) this.#renewal.abort();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    const { activity, random, log, pollIntervalMs, wait = sleep } = this.#options;
    const spreadMs = Math.min(pollIntervalMs, LOST_SPREAD_MAX_MS);
    while (!this.#stop.signal.aborted) {
      this.#renewal = new AbortController();
      this.#session = this.#options.session();
      const signal = AbortSignal.any([this.#stop.signal, this.#renewal.signal]);
      const target = this.#target();
      const { end, heldMs } = await this.#hold(target, signal);
      const calledLess = activity.pollAfterSeconds !== null;
      activity.pollAfterSeconds = null;
      if (activity.wake !== "unsupported") this.#note("connecting");
      if (this.#stop.signal.aborted) return;
      const reopenInMs = REOPENING_SHARE * spreadMs * random();
      if (calledLess) void this.#callUnlessOpen(reopenInMs + (1 - REOPENING_SHARE) * spreadMs);
      if (end.how === "stopped") continue;
      if (heldMs >= HEALTHY_AFTER_MS) this.#failures = 0;
      this.#failures++;
      const isBusy = end.how === "refused" && (end.status === 503 || end.status === 429);
      const retryAfterMs = isBusy ? await askRetryAfter(target, signal) : null;
      const after = afterEnd(end, this.#failures, { retryAfterMs, reopenInMs }, random);
      this.#note(after.isUnsupported ? "unsupported" : "connecting");
      if (heldMs > 0) this.#reportClosed(end, after.reason);
      else this.#reportNotOpen(after);
      log.debug("the wake socket is tried again", { reason: after.reason, inMs: Math.round(after.delayMs) });
      if (after.pollNow) this.#options.onSessionOver();
      await wait(after.delayMs, signal);
    }
  }

  async #callUnlessOpen(delayMs: number): Promise<void> {
    const { onLost, wait = sleep } = this.#options;
    this.#reopened = new AbortController();
    const isNotNeeded = AbortSignal.any([this.#reopened.signal, this.#stop.signal]);
    await wait(delayMs, isNotNeeded);
    if (!isNotNeeded.aborted) onLost();
  }

  async #hold(target: WakeTarget, signal: AbortSignal): Promise<{ end: WakeEnd; heldMs: number }> {
    const { activity, log, clock, random, onOpened, onWake, limits = WAKE_LIMITS } = this.#options;
    let openedAt: number | null = null;
    const onOpen = () => {
      openedAt = clock.monotonicMs();
      this.#reopened.abort();
      this.#note("connected");
      activity.wakeConnections++;
      this.#reported = null;
      log.info("the wake socket is open: the service announces each job");
      onOpened();
    };
    const onPoll = () => {
      activity.wakes++;
      onWake();
    };
    const end = await holdConnection(target, { onOpen, onPoll }, { signal, random, limits });
    // At least 1 ms: 0 means that the connection never opened.
    return { end, heldMs: openedAt === null ? 0 : Math.max(1, clock.monotonicMs() - openedAt) };
  }

  /** Services restart and connections end: a warning follows only when the next connection does not open. */
  #reportClosed(end: WakeEnd, reason: string): void {
    const byService = end.how === "closing" || (end.how === "closed" && isOfService(end.code));
    const what = byService ? "the service closed the wake socket" : "the wake socket was lost";
    this.#options.log.info(`${what}; the agent opens it again`, { reason });
  }

  #reportNotOpen({ isUnsupported, reason }: { isUnsupported: boolean; reason: string }): void {
    const { log } = this.#options;
    const what = isUnsupported ? "unsupported" : "outage";
    if (this.#reported === what) return;
    // An outage that turns out to have another cause gets a second line, and no third.
    if (this.#reported === "unsupported") return;
    this.#reported = what;
    if (isUnsupported) log.info(`no wake socket: jobs are fetched only every POLL_INTERVAL`, { reason });
    else log.warning(`the wake socket cannot be opened: ${POLLING_GOES_ON}`, { reason });
  }

  #note(wake: WakeState): void {
    const { activity, clock } = this.#options;
    if (activity.wake !== wake) activity.wakeSince = clock.now();
    activity.wake = wake;
  }

  #target(): WakeTarget {
    const { apiUrl, apiKey, proxy } = this.#options;
    return {
      url: `${apiUrl.replace(/^http/u, "ws")}${AGENT_API_PATH}/wake`,
      headers: {
        Authorization: `Bearer ${apiKey}`,
        [SESSION_HEADER]: this.#session ?? "",
        "User-Agent": `bellhop-agent/${AGENT_VERSION}`,
      },
      proxy,
    };
  }
}

/** All other codes are the runtime's, for a broken connection or for data that is no WebSocket. */
function isOfService(code: number): boolean {
  return code >= 4_000 || [1_000, 1_001, 1_011, 1_012, 1_013].includes(code);
}
