import { NOT_PAUSED, pause, resume } from "../../domain/control.ts";
import type { ControlState, Pause } from "../../domain/control.ts";
import type { AuditRow } from "../../services/audit-record.ts";
import { ObjectAlarm } from "../kit/alarm.ts";
import type { AlarmStorage } from "../kit/alarm.ts";
import { ObjectTables } from "../kit/object-tables.ts";
import type { SqlStorage } from "../kit/object-tables.ts";
import { Outbox } from "../kit/outbox.ts";

export interface ControlOptions {
  readonly storage: SqlStorage & AlarmStorage;
  /** The alarm that the storage holds (epoch ms); null for none. */
  readonly armedAt: number | null;
  /** Epoch milliseconds. */
  now(): number;
  /** Writes an entry of the audit log to libSQL. Idempotent. */
  recordAudit(row: AuditRow): Promise<void>;
  background(work: Promise<unknown>): void;
}

const TABLES = [
  "CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), value TEXT NOT NULL)",
  "CREATE TABLE audit (id TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
];

/**
 * Whether the whole deployment is paused. The state and the audit entry of its change are one write in the object's own
 * storage, so a pause needs no libSQL; the entry goes there as soon as libSQL takes it.
 */
export class Control {
  readonly #options: ControlOptions;
  readonly #tables: ObjectTables;
  readonly #unrecorded = new Set<AuditRow>();
  readonly #outbox: Outbox<AuditRow>;
  readonly #alarm: ObjectAlarm;
  #state: ControlState;

  constructor(options: ControlOptions) {
    this.#options = options;
    this.#tables = new ObjectTables(options.storage, TABLES);
    const [row] = this.#tables.read("SELECT value FROM state");
    this.#state = row === undefined ? NOT_PAUSED : JSON.parse(String(row["value"]));
    for (const { value } of this.#tables.read("SELECT value FROM audit ORDER BY id")) {
      this.#unrecorded.add(JSON.parse(String(value)));
    }
    this.#outbox = new Outbox({
      pending: () => this.#unrecorded,
      send: (audit) => this.#record(audit),
      now: options.now,
    });
    const dueAt = () => this.#outbox.dueAt();
    this.#alarm = new ObjectAlarm(options.storage, { now: options.now, dueAt }, options.armedAt);
    this.#alarm.arm();
  }

  get state(): ControlState {
    return this.#state;
  }

  pause(next: Pause, audit: AuditRow): ControlState {
    return this.#change(pause(this.#state, next), audit);
  }

  resume(audit: AuditRow): ControlState {
    return this.#change(resume(this.#state, audit.at), audit);
  }

  onAlarm(): Promise<void> {
    return this.#alarm.ring(() => this.#outbox.drain());
  }

  #change(next: ControlState, audit: AuditRow): ControlState {
    if (next === this.#state) return next;
    this.#tables.write("INSERT OR REPLACE INTO state VALUES (1, ?)", JSON.stringify(next));
    this.#tables.write("INSERT OR REPLACE INTO audit VALUES (?, ?)", audit.id, JSON.stringify(audit));
    this.#state = next;
    this.#unrecorded.add(audit);
    this.#options.background(this.#outbox.drain().then(() => this.#alarm.arm()));
    this.#alarm.arm();
    return next;
  }

  async #record(audit: AuditRow): Promise<void> {
    await this.#options.recordAudit(audit);
    this.#tables.write("DELETE FROM audit WHERE id = ?", audit.id);
    this.#unrecorded.delete(audit);
  }
}
