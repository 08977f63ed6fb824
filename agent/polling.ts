import type { AgentConfig } from "./config.ts";
import { Loop } from "./loop.ts";
import { PollLoop } from "./poll-loop.ts";
import type { PollLoopOptions } from "./poll-loop.ts";
import { WakeSocket } from "./wake/index.ts";
import { proxyFor } from "./wake/proxy.ts";
import { Watchdog } from "./watchdog.ts";

export interface Polling {
  loop: Loop;
  start(): void;
  /** Another call was answered after an outage: back-offs that began before it end. */
  serviceAnswers(): void;
  /** A job has ended, and its result was sent or waits for the next poll. There may be room again. */
  jobEnded(): void;
  /** Stops the watchdog and the wake socket. The loop itself continues until it is stopped. */
  leaveAlone(): Promise<void>;
}

export interface PollingOptions extends Omit<PollLoopOptions, "onPolled"> {
  config: Pick<AgentConfig, "apiUrl" | "apiKey" | "wakeSocket">;
  env: Readonly<Record<string, string | undefined>>;
  heartbeat: Pick<Loop, "wake">;
  /** See `Watchdog`. */
  onHopeless: () => void;
}

/** The poll loop with its wake socket, which shortens its waits, and its watchdog. */
export function createPolling({ config, env, heartbeat, onHopeless, ...options }: PollingOptions): Polling {
  const { link, activity, journal, log, clock, random, runner, sender, pulse } = options;
  let askedAfter = 0;
  const onPolled = () => {
    wake?.polled();
    if (activity.pollAfterSeconds === null || askedAfter === activity.wakeConnections) return;
    // A changed setting ends the socket, and the answer to a heartbeat says whether this agent is enabled.
    askedAfter = activity.wakeConnections;
    heartbeat.wake();
  };
  const poll = new PollLoop({ ...options, onPolled });
  const loop = new Loop(poll.tick);
  // After an outage, polls and results may be in a long back-off that began before the service was back.
  const serviceAnswers = () => {
    poll.serviceAnswers();
    void sender.serviceAnswers();
    loop.wake({ endsBackoff: true });
  };
  const wake = config.wakeSocket
    ? new WakeSocket({
        apiUrl: config.apiUrl,
        apiKey: config.apiKey,
        proxy: proxyFor(config.apiUrl, env),
        session: () => link.session,
        onOpened: serviceAnswers,
        // Also without room: the reason may be a cancel, and the answer to any poll names cancelled leases.
        onWake: () => loop.wake(),
        // From now on only calls show that the agent is alive.
        onLost: () => {
          loop.wake();
          heartbeat.wake();
        },
        // A refusal is an answer: the service is reachable.
        onSessionOver: () => loop.wake({ endsBackoff: true }),
        pollIntervalMs: options.pollIntervalMs,
        activity,
        log,
        clock,
        random,
      })
    : null;
  if (wake !== null) activity.wake = "connecting";
  const watchdog = new Watchdog({
    pulse,
    poll: loop,
    rounds: () => poll.rounds,
    // Registering may take any time, and logs its own failures.
    mayBeSilent: () => link.session === null,
    runner,
    log,
    clock,
    onHopeless,
  });
  return {
    loop,
    start: () => {
      loop.start();
      watchdog.start();
    },
    serviceAnswers,
    jobEnded: () => {
      loop.wake();
      // Heartbeats named the last lease. Where no others follow automatically, one has to report that the lease is
      // over.
      if (activity.pollAfterSeconds !== null && journal.held().length === 0) heartbeat.wake();
    },
    leaveAlone: async () => {
      watchdog.stop();
      await wake?.stop();
    },
  };
}
