import { Database } from "bun:sqlite";
import type { ExecutionStatus } from "../../schema/contract/execution.ts";
import type { GateRequest, GateSettings, StartOrder } from "../../worker/services/ports.ts";
import { Gate } from "../../worker/services/webhook/gate.ts";
import type { GateStorage } from "../../worker/services/webhook/gate-inbox.ts";

/** A Durable Object's storage, as far as a gate uses it, on SQLite in memory. It outlives the gates opened on it. */
export class ObjectStorage implements GateStorage {
  readonly #database = new Database(":memory:");
  alarmAt: number | null = null;
  /** How often the alarm was set, and rows were written. */
  alarmWrites = 0;
  rowWrites = 0;
  /** Makes writes fail, as a full or broken disk does: those of rows, or all. */
  broken: false | "rows" | "all" = false;

  readonly sql = {
    exec: (query: string, ...bindings: (string | number | null)[]) => {
      if (/^(INSERT|UPDATE|DELETE|CREATE)/u.test(query)) {
        if (this.broken !== false) throw new Error("the disk is full");
        this.rowWrites += 1;
      }
      const rows = this.#database.query<Record<string, string | number | null>, (string | number | null)[]>(query);
      const all = rows.all(...bindings);
      return { toArray: () => all };
    },
  };

  setAlarm(atMs: number): void {
    if (this.broken === "all") throw new Error("the disk is full");
    this.alarmAt = atMs;
    this.alarmWrites += 1;
  }

  deleteAll(): Promise<void> {
    for (const name of this.tables()) this.#database.run(`DROP TABLE ${name}`);
    this.alarmAt = null;
    return Promise.resolve();
  }

  tables(): string[] {
    return this.#database
      .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .all()
      .map((row) => row.name);
  }

  count(table: "events" | "counted_requests"): number {
    return this.#database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0;
  }
}

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

/** A gate with a clock that stands until it is moved, and starts that the test answers. */
export class GateBench {
  now = Date.UTC(2026, 10, 5, 12);
  readonly storage = new ObjectStorage();
  /** In the order in which they were asked for, those that failed included. */
  readonly starts: StartOrder[] = [];
  starting: Starting = () => Promise.resolve({ status: "running" });
  gate: Gate;
  #ids = 0;

  constructor(settings: Partial<GateSettings> | null = {}) {
    this.gate = this.#open();
    if (settings !== null) this.gate.configure("wh1", { ...SETTINGS, ...settings });
  }

  /** What an eviction and the next call do. */
  restart(): void {
    this.gate = this.#open();
    if (this.gate.configured) this.gate.wokenWith(this.storage.alarmAt);
  }

  request(changes: Partial<GateRequest> & { key?: string; variables?: string } = {}): GateRequest {
    const { key = `h:${this.#ids}`, variables = "{}", ...rest } = changes;
    this.#ids += 1;
    return {
      webhookKey: "wh1",
      secretDigest: RIGHT,
      verified: { secretHash: SETTINGS.secretHash, matches: true },
      executionId: `exe_${this.#ids}`,
      body: { ok: true, dedupeKey: key, variables },
      ...rest,
    };
  }

  accept(changes: Parameters<GateBench["request"]>[0] = {}) {
    return this.gate.accept(this.request(changes));
  }

  /** Accepts, and gives the id that was answered. */
  accepted(changes: Parameters<GateBench["request"]>[0] = {}): string {
    const answer = this.accept(changes);
    if (answer.type !== "accepted") throw new Error(`the gate answered ${answer.type}`);
    return answer.executionId;
  }

  start(): Promise<void> {
    return this.gate.startExecutions();
  }

  /** Moves the clock to the alarm, if one is set, and rings it. */
  async ring(): Promise<boolean> {
    const { alarmAt } = this.storage;
    if (alarmAt === null) return false;
    this.now = Math.max(this.now, alarmAt);
    this.storage.alarmAt = null;
    await this.gate.alarm(() => this.start());
    return true;
  }

  /** Rings whatever alarm falls due until the clock has moved on by `ms`. */
  async pass(ms: number): Promise<void> {
    const until = this.now + ms;
    while (this.storage.alarmAt !== null && this.storage.alarmAt <= until) await this.ring();
    this.now = until;
  }

  #open(): Gate {
    return new Gate({
      storage: this.storage,
      start: (order) => {
        this.starts.push(order);
        return this.starting(order);
      },
      now: () => this.now,
      random: () => 0,
    });
  }
}
