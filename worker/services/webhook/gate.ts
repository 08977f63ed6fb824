import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import type { ExecutionStatus } from "../../../schema/contract/execution.ts";
import { GATE_LOOK_AGAIN_MS, REVOKED_GATE_KEEP_MS, computeNextGateAlarm } from "../../domain/gate-alarm.ts";
import { logError, logWarning } from "../log.ts";
import type { GateAnswer, GateRequest, GateSettings, StartOrder } from "../ports.ts";
import { GateEvents } from "./gate-events.ts";
import { GateInbox } from "./gate-inbox.ts";
import type { GateStorage, InboxEvent, StoredSettings } from "./gate-inbox.ts";
import { GateTimer } from "./gate-timer.ts";
import { RequestLimit } from "./request-limit.ts";
import { SecretMemory } from "./secret-memory.ts";
import { Starter } from "./starter.ts";

export interface GateDeps {
  storage: GateStorage;
  start(order: StartOrder): Promise<{ status: ExecutionStatus }>;
  now(): number;
  random(): number;
}

const RECHECKS_PER_ALARM = 20;
/** An alarm does not outstay this; the next one, already set, goes on. */
const ALARM_WORK_MS = 20_000;

/**
 * One webhook key: its rate limit, deduplication and durable inbox (design 3, invariant 1). Everything that decides
 * about a request is in memory and happens without a pause, so that concurrent identical requests meet one another;
 * one insert makes the acceptance durable, and the platform holds the answer, and the start, back until it is.
 */
export class Gate {
  readonly #deps: GateDeps;
  readonly #inbox: GateInbox;
  readonly #timer: GateTimer;
  readonly #secrets = new SecretMemory();
  readonly #starter: Starter;
  readonly #events: GateEvents;
  readonly #limit: RequestLimit;
  #stored: StoredSettings | null;

  constructor(deps: GateDeps) {
    this.#deps = deps;
    this.#inbox = new GateInbox(deps.storage);
    this.#events = new GateEvents(this.#inbox);
    this.#limit = new RequestLimit(this.#inbox);
    this.#timer = new GateTimer((at) => deps.storage.setAlarm(at), deps.now);
    this.#starter = new Starter({
      start: (event) => this.#start(event),
      started: (event, status) => this.#started(event, status),
      paused: () => this.#armForRetry(),
      now: deps.now,
      random: deps.random,
    });
    this.#stored = this.#inbox.loadSettings();
    if (this.#stored !== null) this.#load();
  }

  /** False for a key that was never configured: there is nothing to come back for, and nothing may be written. */
  get configured(): boolean {
    return this.#stored !== null;
  }

  /** After a new start of the object, with the alarm found in its storage. */
  wokenWith(alarmAt: number | null): void {
    this.#timer.found(alarmAt);
    if (this.#starter.pendingCount > 0) this.#timer.arm(this.#deps.now());
    else this.#armNext();
  }

  /** The checks of design 4, "Webhook", in their order. */
  accept(request: GateRequest): GateAnswer {
    const settings = this.#liveSettings();
    if (settings === null) return { type: "unknownKey" };
    const secret = this.#secrets.judge(request, settings.secretHash);
    if (secret === "unknown") return { type: "verifySecret", secretHash: settings.secretHash };
    if (secret === "wrong") return { type: "wrongSecret" };
    // The same call told again, its first answer lost: it was accepted, whatever has happened since.
    const before = this.#events.find(request.executionId);
    if (before !== null) return accepted(before, false);
    if (!settings.active || settings.versionId === null) return { type: "inactive" };
    const now = this.#deps.now();
    const retryAfterSeconds = this.#limit.refusal(now);
    if (retryAfterSeconds !== null) return { type: "rateLimited", retryAfterSeconds };
    const { body } = request;
    const duplicate = body.ok ? this.#events.duplicateOf(body.dedupeKey, now) : null;
    if (!body.ok || duplicate !== null) {
      this.#limit.take(now, false);
      return duplicate === null ? { type: "badBody" } : accepted(duplicate, true);
    }
    const { executionId } = request;
    const { workflowId, versionId } = settings;
    const order = { workflowId, versionId, variables: body.variables };
    const event = this.#events.add({ executionId, dedupeKey: body.dedupeKey, acceptedAt: now }, order);
    this.#limit.take(now, true);
    this.#starter.add(event);
    this.#timer.arm(now + GATE_LOOK_AGAIN_MS);
    return accepted(event, false);
  }

  knows(): boolean {
    return this.#liveSettings() !== null;
  }

  configure(webhookKey: string, settings: GateSettings): void {
    if (this.#stored !== null && settings.epoch <= this.#stored.settings.epoch) return;
    const revokedAt = settings.revoked ? this.#deps.now() : null;
    const stored: StoredSettings = { webhookKey, settings, revokedAt };
    this.#inbox.saveSettings(stored);
    this.#stored = stored;
    this.#armNext();
  }

  executionEnded(executionId: string, status: ExecutionStatus): void {
    const event = this.#events.find(executionId);
    if (event === null || isTerminalExecution(event.status) || !isTerminalExecution(status)) return;
    this.#events.markEnded(event, status);
    this.#starter.remove(event.seq);
  }

  /** Starts what was accepted; resolves when nothing is under way any more. */
  startExecutions(): Promise<void> {
    return this.#starter.run();
  }

  /**
   * Throws only when not even the next alarm could be set, so that the platform rings again: it does so six times,
   * and then drops the alarm (design 3, "Alarms").
   */
  async alarm(startExecutions: () => Promise<void>): Promise<void> {
    this.#timer.rang();
    try {
      // Before the work: whatever ends it half-way, there is another alarm.
      if (this.#starter.pendingCount > 0) this.#timer.arm(this.#deps.now() + GATE_LOOK_AGAIN_MS);
      await withinAlarm(Promise.all([startExecutions(), this.#recheck()]));
      this.#tidy();
      if (!(await this.#forgetRevoked())) this.#armNext();
    } catch (error) {
      logError("a webhook gate's alarm failed; it rings again", { error: String(error) });
      this.#timer.arm(this.#deps.now() + GATE_LOOK_AGAIN_MS);
    }
  }

  #load(): void {
    const events = this.#events.load();
    for (const event of events) if (!event.started) this.#starter.add(event);
    const acceptedAt = events.map((event) => event.acceptedAt);
    this.#limit.load(acceptedAt, this.#deps.now());
  }

  #liveSettings(): GateSettings | null {
    const settings = this.#stored?.settings ?? null;
    return settings?.revoked === true ? null : settings;
  }

  async #start(event: InboxEvent): Promise<ExecutionStatus> {
    const order = this.#inbox.loadOrder(event.seq);
    if (order === null) throw new Error(`the inbox holds no event ${event.executionId}`);
    const { status } = await this.#deps.start({
      executionId: event.executionId,
      workflowId: order.workflowId,
      versionId: order.versionId,
      trigger: { type: "webhook", variables: JSON.parse(order.variables) },
      triggerKey: event.executionId,
      webhookKey: this.#stored?.webhookKey ?? null,
      startedAt: event.acceptedAt,
    });
    return status;
  }

  #started(event: InboxEvent, status: ExecutionStatus): void {
    if (isTerminalExecution(status)) return this.executionEnded(event.executionId, status);
    const now = this.#deps.now();
    this.#events.markStarted(event, now);
    this.#timer.arm(now + GATE_LOOK_AGAIN_MS);
  }

  /** Mends a lost `executionEnded`: a start that is told again says how the execution stands. */
  async #recheck(): Promise<void> {
    const due = this.#events.takeRechecks(this.#deps.now(), RECHECKS_PER_ALARM);
    for (const event of due) {
      try {
        this.executionEnded(event.executionId, await this.#start(event));
      } catch (error) {
        logWarning("an execution's status could not be asked; it is asked again", { error: String(error) });
        return;
      }
    }
  }

  #tidy(): void {
    const now = this.#deps.now();
    this.#events.saveStarts();
    this.#events.prune(now);
    this.#limit.prune(now);
  }

  /** True when the key was revoked long ago and its storage is empty now. */
  async #forgetRevoked(): Promise<boolean> {
    const revokedAt = this.#stored?.revokedAt ?? null;
    if (revokedAt === null || this.#starter.pendingCount > 0) return false;
    if (this.#deps.now() < revokedAt + REVOKED_GATE_KEEP_MS) return false;
    this.#stored = null;
    await this.#inbox.empty();
    return true;
  }

  #armForRetry(): void {
    const { retryAt } = this.#starter;
    if (retryAt !== null) this.#timer.arm(retryAt);
  }

  #armNext(): void {
    const now = this.#deps.now();
    const pending = this.#starter.pendingCount > 0;
    const next = computeNextGateAlarm(
      {
        pending,
        retryAt: this.#starter.retryAt,
        unsavedStarts: this.#events.hasUnsavedStarts,
        recheckAt: this.#events.nextRecheckAt(now),
        newestStartedAt: this.#events.newestStartedAt(),
        newestCountedAt: this.#limit.newestCountedAt,
        revokedAt: pending ? null : (this.#stored?.revokedAt ?? null),
      },
      now,
    );
    if (next !== null) this.#timer.arm(next);
  }
}

function accepted(event: InboxEvent, deduplicated: boolean): GateAnswer {
  return {
    type: "accepted",
    executionId: event.executionId,
    status: event.status,
    startedAt: event.acceptedAt,
    deduplicated,
  };
}

async function withinAlarm(work: Promise<unknown>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(() => over.resolve(), ALARM_WORK_MS);
  try {
    await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
