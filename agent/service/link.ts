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
  /** Called for every registration: the public key may have changed. */
  request: () => RegisterRequest;
  activity: Activity;
  log: Log;
  random: Random;
  /** The first registration was answered or has failed. */
  onFirstAttempt?: () => void;
  /** Called whenever the service has accepted the key. */
  onRegistered?: (registered: RegisterResponse) => void;
  /** Another process serves this agent now; this one has to end. */
  onSuperseded: () => void;
  wait?: typeof sleep;
}

/**
 * The agent's registration: registers, keeps the session, and registers again when the service asks for it
 * (docs/design/agent-protocol.md#sessions, #failed-calls).
 */
export class ServiceLink {
  /** Logs the failures of repeated calls. */
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
   * Makes one call with the current session, after a registration if there is none. Renews an invalid session once.
   * Throws a CallError, which is also noted in `activity` and in the log.
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

  /** The session of the newest registration; null before the first, and while the next is under way. */
  get session(): string | null {
    return this.#session;
  }

  /** Whether this process has ever registered. */
  get hasRegistered(): boolean {
    return this.#options.activity.registrations > 0;
  }

  /** Whether the service's last answer was that it does not know this agent's key. */
  get isKeyRefused(): boolean {
    return this.#isKeyRefused;
  }

  /** The registration is out of date: the next call registers first. */
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
      // When several calls get this answer, only one of them renews the session.
      if (this.#registration === registration) this.registerAgain();
      return ask(client, (await unlessAborted(this.#registered(), signal)).session);
    }
  }

  #registered(): Promise<RegisterResponse> {
    if (this.#registration === null) {
      this.#registration = this.#register();
      // A stopped registration may reject when no call waits for it.
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
        if (this.#stop.signal.aborted) throw new CallError("stopped", "registering was cancelled", { cause: error });
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
    const abort = () => reject(new CallError("stopped", "the wait for a registration was cancelled"));
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
