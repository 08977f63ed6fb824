import { onTestFinished } from "bun:test";
import { newActivity } from "../../agent/activity.ts";
import { createLog } from "../../agent/log.ts";
import { WakeSocket } from "../../agent/wake/index.ts";
import type { WakeLimits } from "../../agent/wake/connection.ts";
import { FAKE_AGENT_KEY } from "../support/fake-service.ts";
import { WakeServer } from "../support/wake-server.ts";
import type { WakeServerOptions } from "../support/wake-server.ts";
import { ManualClock } from "./parts.ts";

const FAR_MS = 600_000;

interface WakeOptions {
  limits?: Partial<WakeLimits>;
  holds?: boolean;
  pollIntervalMs?: number;
}

/** Starts a wake socket and its server; both stop with the test. */
export function startWake(options: WakeOptions, serverOptions: WakeServerOptions = {}) {
  const server = new WakeServer(serverOptions);
  const parts = new WakeParts(server.url, options);
  onTestFinished(async () => {
    await parts.socket.stop();
    await server.stop();
  });
  return { server, parts };
}

/** A wake socket whose surroundings the test controls. Its waits are recorded, and end immediately without `holds`. */
export class WakeParts {
  readonly activity = newActivity(0);
  readonly clock = new ManualClock();
  readonly logLines: string[] = [];
  /** The waits between its attempts. */
  readonly waits: number[] = [];
  session: string | null = "session-1";
  wakes = 0;
  sessionOvers = 0;
  losses = 0;
  /** With `holds`, ends the current wait, which otherwise lasts until it is aborted. */
  goOn: () => void = () => undefined;
  /** Ends the wait of the same index in `waits`. */
  readonly endings: (() => void)[] = [];
  readonly socket: WakeSocket;

  constructor(apiUrl: string, { limits = {}, holds = false, pollIntervalMs = 0 }: WakeOptions = {}) {
    this.activity.wake = "connecting";
    this.socket = new WakeSocket({
      apiUrl,
      apiKey: FAKE_AGENT_KEY,
      proxy: null,
      session: () => this.session,
      onOpened: () => void this.wakes++,
      onWake: () => void this.wakes++,
      onLost: () => void this.losses++,
      onSessionOver: () => void this.sessionOvers++,
      pollIntervalMs,
      activity: this.activity,
      log: createLog({
        level: "INFO",
        mask: (text) => text,
        write: (line) => this.logLines.push(line),
        now: this.clock.now,
        human: false,
      }),
      clock: this.clock,
      random: () => 0.5,
      limits: { connectMs: FAR_MS, pingEveryMs: FAR_MS, pongWithinMs: FAR_MS, ...limits },
      wait: (ms, signal) => {
        this.waits.push(ms);
        if (!holds || signal.aborted) return Promise.resolve();
        return new Promise((resolve) => {
          this.goOn = () => resolve();
          this.endings[this.waits.length - 1] = resolve;
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      },
    });
  }

  /** Log lines with the text. */
  said(text: string): string[] {
    return this.logLines.filter((line) => line.includes(text));
  }
}
