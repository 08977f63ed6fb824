import type { ExecutionStatus } from "../../schema/contract/execution.ts";
import { Gate } from "../../worker/actors/gate/gate.ts";
import type { GateRequest, GateSettings, StartOrder } from "../../worker/services/ports.ts";
import { ObjectStorage } from "./object-storage.ts";

export const SETTINGS: GateSettings = {
  epoch: 1,
  workflowId: "wf_1",
  versionId: "wfv_1",
  active: true,
  secretHash: "hash of the secret",
  revoked: false,
};
export const RIGHT = "digest of the right secret";

type Starting = (order: StartOrder) => Promise<{ status: ExecutionStatus }>;

/** A gate with a manual clock, and starts that the test answers. */
export class GateBench {
  now = Date.UTC(2026, 10, 5, 12);
  readonly storage = new ObjectStorage();
  /** In the order of the calls, including failed ones. */
  readonly starts: StartOrder[] = [];
  /** What was added to the totals, in the order of the calls. */
  readonly counted: (readonly [string, number])[] = [];
  counting: () => Promise<unknown> = () => Promise.resolve();
  starting: Starting = () => Promise.resolve({ status: "running" });
  gate: Gate;
  #ids = 0;

  constructor(settings: Partial<GateSettings> | null = {}) {
    this.gate = this.#open();
    if (settings !== null) this.gate.configure("wh1", { ...SETTINGS, ...settings });
  }

  /** The effect of an eviction and the next call. */
  restart(): void {
    this.gate = this.#open();
  }

  request(changes: Partial<GateRequest> & { key?: string; variables?: string } = {}): GateRequest {
    const { key = `h:${this.#ids}`, variables = "{}", ...rest } = changes;
    this.#ids += 1;
    return {
      webhookKey: "wh1",
      by: "bearer",
      secretDigest: RIGHT,
      verified: { verifiers: [SETTINGS.secretHash], matches: true },
      executionId: `exe_${this.#ids}`,
      body: { ok: true, dedupeKey: key, text: "", variables },
      delivery: { bytes: 2, contentType: "application/json", ignoredFields: [] },
      sent: { headers: [], query: [] },
      ...rest,
    };
  }

  accept(changes: Parameters<GateBench["request"]>[0] = {}) {
    return this.gate.accept(this.request(changes));
  }

  /** Accepts an event and returns the answered id. */
  accepted(changes: Parameters<GateBench["request"]>[0] = {}): string {
    const answer = this.accept(changes);
    if (answer.type !== "accepted") throw new Error(`the gate answered ${answer.type}`);
    return answer.executionId;
  }

  start(): Promise<void> {
    return this.gate.startExecutions();
  }

  /** Moves the clock to the alarm, if one is set, and fires it. */
  async ring(): Promise<boolean> {
    const { alarmAt } = this.storage;
    if (alarmAt === null) return false;
    this.now = Math.max(this.now, alarmAt);
    this.storage.alarmAt = null;
    await this.gate.onAlarm(() => this.start());
    return true;
  }

  /** Fires every due alarm until the clock has moved by `ms`. */
  async pass(ms: number): Promise<void> {
    const until = this.now + ms;
    while (this.storage.alarmAt !== null && this.storage.alarmAt <= until) await this.ring();
    this.now = until;
  }

  #open(): Gate {
    return new Gate({
      storage: this.storage,
      armedAt: this.storage.alarmAt,
      start: (order) => {
        this.starts.push(order);
        return this.starting(order);
      },
      count: async (counts) => {
        await this.counting();
        this.counted.push(...counts);
      },
      now: () => this.now,
      random: () => 0,
    });
  }
}
