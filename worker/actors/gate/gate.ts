import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import type { ExecutionStatus } from "../../../schema/contract/execution.ts";
import { logWarning } from "../../services/log.ts";
import type { DeliveryRefusal } from "../../../schema/contract/webhook-delivery.ts";
import type {
  Delivery,
  DeliveryFacts,
  GateAnswer,
  GateRequest,
  GateSettings,
  StartOrder,
  Verifiers,
} from "../../services/ports.ts";
import { ObjectAlarm } from "../kit/alarm.ts";
import { waitAtMost } from "../kit/with-timeout.ts";
import { Deliveries } from "./deliveries.ts";
import type { DeliveryCounts } from "./deliveries.ts";
import { EventTable } from "./event-table.ts";
import { GATE_LOOK_AGAIN_MS, REVOKED_GATE_KEEP_MS, computeNextGateAlarm } from "./next-alarm.ts";
import { payloadOf } from "./payload.ts";
import { RequestLimit } from "./request-limit.ts";
import { SecretMemory, verifiersOf } from "./secret-memory.ts";
import { Starter } from "./starter.ts";
import { GateInbox } from "./storage.ts";
import type { GateStorage, InboxEvent, StoredSettings } from "./storage.ts";

export interface GateDeps {
  storage: GateStorage;
  /** The alarm that the storage holds (epoch ms); null for none. */
  armedAt: number | null;
  start(order: StartOrder): Promise<{ status: ExecutionStatus }>;
  /** Adds deliveries that started nothing to the totals of `/metrics`. */
  count(counts: DeliveryCounts): Promise<unknown>;
  now(): number;
  random(): number;
}

const RECHECKS_PER_ALARM = 20;
/** The longest work of one alarm. The next alarm, already set, continues. */
const ALARM_WORK_MS = 20_000;

/**
 * One webhook key: its rate limit, deduplication and durable inbox (docs/design/dispatch.md#gate). Every decision is
 * made in memory without an await, so concurrent identical requests see each other. The platform holds back the answer
 * and the start until the insert is durable.
 */
export class Gate {
  readonly #deps: GateDeps;
  readonly #inbox: GateInbox;
  readonly #alarm: ObjectAlarm;
  readonly #secrets = new SecretMemory();
  readonly #starter: Starter;
  readonly #events: EventTable;
  readonly #limit: RequestLimit;
  readonly #deliveries: Deliveries;
  #stored: StoredSettings | null;
  /** True from loading events that have not started until the alarm rings for them. */
  #mustResume: boolean;

  constructor(deps: GateDeps) {
    this.#deps = deps;
    this.#inbox = new GateInbox(deps.storage);
    this.#events = new EventTable(this.#inbox);
    this.#limit = new RequestLimit(this.#inbox);
    const state = { now: deps.now, dueAt: () => this.#dueAt() };
    this.#alarm = new ObjectAlarm(deps.storage, state, deps.armedAt);
    this.#starter = new Starter({
      start: (event) => this.#start(event),
      started: (event, status) => this.#started(event, status),
      attemptEnded: () => this.#alarm.arm(),
      now: deps.now,
      random: deps.random,
    });
    this.#stored = this.#inbox.loadSettings();
    this.#deliveries = new Deliveries(this.#stored?.deliveries ?? [], this.#stored?.uncounted ?? []);
    this.#load();
    this.#mustResume = this.#starter.pendingCount > 0;
    this.#alarm.arm();
  }

  accept(request: GateRequest): GateAnswer {
    return this.#apply(() => this.#accept(request));
  }

  verifiers(): Verifiers | null {
    const settings = this.#liveSettings();
    return settings === null ? null : verifiersOf(settings, this.#deps.now());
  }

  /** Notes a delivery that was refused before its event came here. */
  refused(reason: DeliveryRefusal, facts: DeliveryFacts): void {
    if (this.#liveSettings() === null) return;
    this.#apply(() => this.#deliveries.refused(facts, this.#deps.now(), reason));
  }

  get deliveries(): readonly Delivery[] {
    return this.#deliveries.latest;
  }

  configure(webhookKey: string, settings: GateSettings): void {
    this.#apply(() => this.#configure(webhookKey, settings));
  }

  executionEnded(executionId: string, status: ExecutionStatus): void {
    this.#apply(() => this.#ended(executionId, status));
  }

  /** Starts the accepted events. Resolves when no start is in flight. */
  startExecutions(): Promise<void> {
    return this.#starter.run();
  }

  /** The object's alarm: repeats failed starts, saves starts, counts deliveries and deletes old rows. Rejects as `ring` does. */
  onAlarm(startExecutions: () => Promise<void>): Promise<void> {
    this.#mustResume = false;
    const work = async () => {
      await waitAtMost(
        ALARM_WORK_MS,
        Promise.all([startExecutions(), this.#recheck(), this.#deliveries.count(this.#deps.count, this.#deps.now())]),
      );
      this.#tidy();
      await this.#forgetRevoked();
    };
    // Saving and deleting alone need no safety alarm, which would be a second write.
    return this.#alarm.ring(work, this.#starter.pendingCount > 0 ? GATE_LOOK_AGAIN_MS : null);
  }

  /** Runs a call that may change state, then arms the alarm. */
  #apply<T>(change: () => T): T {
    const answer = change();
    this.#alarm.arm();
    return answer;
  }

  /** Decides, and notes the delivery. A repeated call, whose first answer was lost, is the same delivery. */
  #accept(request: GateRequest): GateAnswer {
    const isAgain = this.#events.find(request.executionId) !== null;
    const answer = this.#decide(request);
    if (!isAgain) this.#deliveries.note(request.delivery, answer, this.#deps.now());
    return answer;
  }

  /** The checks of docs/design/http-api.md#webhook-checks, in that order. */
  #decide(request: GateRequest): GateAnswer {
    const settings = this.#liveSettings();
    if (settings === null) return { type: "unknownKey" };
    const now = this.#deps.now();
    const known = verifiersOf(settings, now);
    const secret = this.#secrets.judge(request, known);
    if (secret === "unknown") return { type: "verifySecret", ...known };
    if (secret === "wrong") return { type: "wrongSecret" };
    const { payload = null } = settings;
    const readsBody = payload !== null;
    // A repeated call, whose first answer was lost: the event was accepted, so later changes of settings do not matter.
    const before = this.#events.find(request.executionId);
    if (before !== null) return accepted(before, false, readsBody);
    const retryAfterSeconds = this.#limit.refusal(now, settings.requestsPerMinute ?? null);
    if (request.isCheck === true && retryAfterSeconds === null) {
      this.#limit.take(now, false);
      return { type: "check" };
    }
    if (!settings.active || settings.versionId === null) return { type: "inactive" };
    if (retryAfterSeconds !== null) return { type: "rateLimited", retryAfterSeconds };
    const body = payloadOf(settings, request);
    if (!body.ok) {
      this.#limit.take(now, false);
      return { type: "badBody", problem: body.problem };
    }
    const duplicate = this.#events.duplicateOf(body.dedupeKey, now);
    if (duplicate !== null) {
      this.#limit.take(now, false);
      return accepted(duplicate, true, readsBody);
    }
    const { workflowId, versionId } = settings;
    const order = { workflowId, versionId, variables: body.variables };
    const { executionId } = request;
    const event = this.#events.add({ executionId, dedupeKey: body.dedupeKey, acceptedAt: now }, order);
    this.#limit.take(now, true);
    this.#starter.add(event);
    return accepted(event, false, readsBody);
  }

  #configure(webhookKey: string, settings: GateSettings): void {
    if (this.#stored !== null && settings.epoch <= this.#stored.settings.epoch) return;
    const revokedAt = settings.revoked ? this.#deps.now() : null;
    this.#save({ webhookKey, settings, revokedAt });
  }

  #save(changed: StoredSettings): void {
    const { latest: deliveries, uncounted } = this.#deliveries;
    const stored = { ...changed, deliveries, uncounted };
    this.#inbox.saveSettings(stored);
    this.#stored = stored;
    this.#deliveries.markSaved();
  }

  #ended(executionId: string, status: ExecutionStatus): void {
    const event = this.#events.find(executionId);
    if (event === null || isTerminalExecution(event.status) || !isTerminalExecution(status)) return;
    this.#events.markEnded(event, status);
    this.#starter.remove(event.seq);
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
    if (isTerminalExecution(status)) return this.#ended(event.executionId, status);
    this.#events.markStarted(event, this.#deps.now());
  }

  /** Makes up for a lost `executionEnded`: a repeated start answers with the execution's status. */
  async #recheck(): Promise<void> {
    const due = this.#events.takeRechecks(this.#deps.now(), RECHECKS_PER_ALARM);
    for (const event of due) {
      try {
        this.#ended(event.executionId, await this.#start(event));
      } catch (error) {
        logWarning("an execution's status could not be read; the next alarm tries again", { error: String(error) });
        return;
      }
    }
  }

  #tidy(): void {
    const now = this.#deps.now();
    this.#events.saveStarts();
    if (this.#stored !== null && this.#deliveries.isUnsaved) this.#save(this.#stored);
    this.#events.prune(now);
    this.#limit.prune(now);
  }

  /** Empties the storage some time after the key was revoked. */
  async #forgetRevoked(): Promise<void> {
    const revokedAt = this.#stored?.revokedAt ?? null;
    if (revokedAt === null || this.#starter.pendingCount > 0) return;
    if (this.#deps.now() < revokedAt + REVOKED_GATE_KEEP_MS) return;
    this.#stored = null;
    await this.#inbox.empty();
  }

  #dueAt(): number | null {
    const now = this.#deps.now();
    if (this.#mustResume) return now;
    const pending = this.#starter.pendingCount > 0;
    const { isUnsaved, uncounted } = this.#deliveries;
    const unsaved = this.#events.hasUnsavedStarts || isUnsaved || uncounted.length > 0;
    // Both look at every event, and count only when nothing else is left.
    const isBusy = pending || unsaved;
    const work = {
      pending,
      retryAt: this.#starter.retryAt,
      unsaved,
      recheckAt: isBusy ? null : this.#events.nextRecheckAt(now),
      newestStartedAt: isBusy ? null : this.#events.newestStartedAt(),
      newestCountedAt: this.#limit.newestCountedAt,
      revokedAt: this.#stored?.revokedAt ?? null,
    };
    return computeNextGateAlarm(work, now);
  }
}

function accepted(event: InboxEvent, deduplicated: boolean, readsBody: boolean): GateAnswer {
  return {
    type: "accepted",
    executionId: event.executionId,
    status: event.status,
    startedAt: event.acceptedAt,
    deduplicated,
    readsBody,
  };
}
