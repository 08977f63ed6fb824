import type { RegisterRequest, RegisterResponse } from "../../schema/contract/agent.ts";
import type { Activity } from "../activity.ts";
import { CallError } from "./call-error.ts";
import { noteEnabled } from "./note-enabled.ts";
import { sleep } from "../clock.ts";
import { describeError } from "../log.ts";
import type { Log } from "../log.ts";
import { Outage } from "./outage.ts";
import { adviceFor, backoffMs, isSuperseded, nextStep } from "./retry.ts";
import type { Random } from "./retry.ts";
import type { ServiceClient } from "../service-client.ts";

export interface ServiceLinkOptions {
  client: ServiceClient;
  /** Asked anew at every registration: the public key can have changed. */
  request: () => RegisterRequest;
  activity: Activity;
  log: Log;
  random: Random;
  /** The first registration was answered, or failed. */
  onFirstAttempt?: () => void;
  /** Called whenever the service has taken the key. */
  onRegistered?: (registered: RegisterResponse) => void;
  /** Another process serves this agent now; this one has to end. */
  onSuperseded: () => void;
  wait?: typeof sleep;
}

/**
 * The agent's standing with the service: it registers, keeps the session, and registers again when the service asks
 * for it (409 `register_again`: the agent moved to another pool, or the service restarted).
 */
export class ServiceLink {
  /** What calls that are repeated say of their failures. */
  readonly outage: Outage;
  readonly #options: ServiceLinkOptions;
  readonly #stop = new AbortController();
  #registration: Promise<RegisterResponse> | null = null;
  #session: string | null = null;
  #isKeyRefused = false;

  constructor(options: ServiceLinkOptions) {
    this.#options = options;
    this.outage = new Outage(options.log);
  }

  /**
   * One call under the current session; waits for a registration where there is none. A session that is over is
   * renewed once. Throws a CallError, which is noted in `activity` and in the log.
   */
  async call<T>(ask: (client: ServiceClient, session: string) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const registration = this.#registered();
    try {
      const answer = await this.#ask(ask, registration, signal);
      this.#options.activity.connected = true;
      this.#isKeyRefused = false;
      return answer;
    } catch (error) {
      if (isSuperseded(error)) this.#options.onSuperseded();
      else if (nextStep(error) !== "stop") this.#noteFailure(error);
      throw error;
    }
  }

  /** Of the newest registration; null before the first, and while the next is not there yet. */
  get session(): string | null {
    return this.#session;
  }

  /** Whether the service has ever heard of this process. */
  get hasRegistered(): boolean {
    return this.#options.activity.registrations > 0;
  }

  /** The last answer of the service was that it does not know this agent's key. */
  get isKeyRefused(): boolean {
    return this.#isKeyRefused;
  }

  /** What was registered does not hold any more: the next call registers first. */
  registerAgain(): void {
    this.#registration = null;
    this.#session = null;
  }

  /** Ends a registration that is still being tried. */
  stop(): void {
    this.#stop.abort();
  }

  async #ask<T>(
    ask: (client: ServiceClient, session: string) => Promise<T>,
    registration: Promise<RegisterResponse>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { client, log } = this.#options;
    try {
      return await ask(client, (await unlessAborted(registration, signal)).session);
    } catch (error) {
      if (nextStep(error) !== "register_again") throw error;
      log.info("the service asks this agent to register again");
      // Of several calls that hear it at once, one renews what they share.
      if (this.#registration === registration) this.registerAgain();
      return ask(client, (await unlessAborted(this.#registered(), signal)).session);
    }
  }

  #registered(): Promise<RegisterResponse> {
    if (this.#registration === null) {
      this.#registration = this.#register();
      // It may end, stopped, when no call waits for it any more.
      this.#registration.catch(() => undefined);
    }
    return this.#registration;
  }

  /** Tries until it succeeds or is stopped. */
  async #register(): Promise<RegisterResponse> {
    const { client, request, random, onFirstAttempt, wait = sleep } = this.#options;
    for (let failures = 1; ; failures++) {
      try {
        const registered = await client.register(request(), this.#stop.signal).finally(onFirstAttempt);
        this.outage.answered("registering failed");
        this.#noteRegistration(registered);
        return registered;
      } catch (error) {
        if (this.#stop.signal.aborted) throw new CallError("stopped", "registering was given up", { cause: error });
        this.#noteFailure(error);
        const delayMs = backoffMs(error, failures, random);
        this.outage.failed("registering failed", error, {
          advice: adviceFor(error, this.hasRegistered) ?? undefined,
          retryInSeconds: Math.round(delayMs / 1_000),
        });
        await wait(delayMs, this.#stop.signal);
      }
    }
  }

  #noteRegistration(registered: RegisterResponse): void {
    const { activity, log, onRegistered } = this.#options;
    const { agentId, poolId, enabled, session } = registered;
    this.#session = session;
    this.#isKeyRefused = false;
    onRegistered?.(registered);
    activity.connected = true;
    activity.lastError = null;
    activity.registrations++;
    activity.agentId = agentId;
    activity.poolId = poolId;
    log.info("registered", { agentId, poolId, enabled });
    noteEnabled(enabled, { activity, log });
  }

  #noteFailure(error: unknown): void {
    const { activity } = this.#options;
    this.#isKeyRefused = error instanceof CallError && error.status === 401;
    activity.connected = false;
    activity.failedCalls++;
    activity.lastError = describeError(error);
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(new CallError("stopped", "the wait for a registration was given up"));
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
