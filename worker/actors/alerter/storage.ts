import type { RuleEvent } from "../../../schema/contract/notification-rule.ts";
import { NOTICES_KEPT } from "../../../schema/limits.ts";
import type { AlertMessage } from "../../domain/alerts/message.ts";
import type { Collected } from "../../domain/alerts/group.ts";
import type { Failing, KnownRules } from "../../services/alerts/index.ts";
import type { NoticeCount } from "../../services/ports.ts";
import { ObjectTables } from "../kit/object-tables.ts";
import type { SqlRow, SqlStorage } from "../kit/object-tables.ts";
import { Outcomes } from "./outcomes.ts";
import type { NoticeOutcome } from "./outcomes.ts";

const TABLES = [
  "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
  "CREATE TABLE seen (key TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID",
  "CREATE INDEX seen_by_time ON seen (at)",
  "CREATE TABLE failing (workflow_id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID",
  `CREATE TABLE conditions (rule_id TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (rule_id, key)) WITHOUT ROWID`,
  "CREATE TABLE groups (rule_id TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
  "CREATE TABLE notices (id TEXT PRIMARY KEY, rule_id TEXT NOT NULL, value TEXT NOT NULL) WITHOUT ROWID",
  "CREATE INDEX notices_of_rule ON notices (rule_id, id)",
  'CREATE TABLE counts ("on" TEXT NOT NULL, result TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY ("on", result)) WITHOUT ROWID',
];

/** Whose recovery is awaited, at most. */
const FAILING_MAX = 1_000;

const KINDS = ["rules", "receivers", "channels"] as const;
const FROM_NAME = "SELECT value FROM facts WHERE name >= ? AND name < ? ORDER BY name";

/** What a rule has collected and sent. Times are epoch milliseconds. */
export interface Group {
  readonly lastSentAt: number | null;
  readonly collected: Collected | null;
  /** What receivers without room have not got, by their id. */
  readonly held?: Readonly<Record<string, Collected>>;
}

/** A message of a rule to one receiver. Its id is the message's, too: the same at every attempt. */
export interface NoticeRecord extends NoticeOutcome {
  readonly on: RuleEvent;
  readonly count: number;
  readonly message: AlertMessage;
}

/** Of every notice, without its message. */
const OUTCOMES = `SELECT json_object('id', id, 'ruleId', rule_id, 'receiverId', value ->> '$.receiverId', 'at', value ->> '$.at',
  'result', value ->> '$.result', 'detail', value ->> '$.detail') AS value FROM notices ORDER BY id`;

/** What the Alerter keeps. Only this class writes the rows, so reads trust them. */
export class AlerterTables {
  readonly #tables: ObjectTables;
  readonly #groups = new Map<string, Group>();
  /** The rules whose groups are not written yet. */
  readonly #changed = new Set<string>();
  readonly outcomes = new Outcomes();

  constructor(storage: SqlStorage) {
    this.#tables = new ObjectTables(storage, TABLES);
    for (const row of this.#tables.read("SELECT rule_id, value FROM groups")) {
      this.#groups.set(String(row["rule_id"]), valueOf(row));
    }
    for (const row of this.#tables.read(OUTCOMES)) this.outcomes.note(valueOf(row));
  }

  /** A value that is kept under a name; null for none. */
  fact<T>(name: string): T | null {
    const [row] = this.#tables.read("SELECT value FROM facts WHERE name = ?", name);
    return row === undefined ? null : valueOf<T>(row);
  }

  setFact(name: string, value: unknown): void {
    const text = JSON.stringify(value);
    const [row] = this.#tables.read("SELECT value FROM facts WHERE name = ?", name);
    if ((row?.["value"] ?? "null") !== text)
      this.#tables.write("INSERT OR REPLACE INTO facts VALUES (?, ?)", name, text);
  }

  /** The rules, receivers and channels as they were read last. */
  known(): KnownRules {
    return { rules: this.#all("rules"), receivers: this.#all("receivers"), channels: this.#all("channels") };
  }

  /** Each in its own row: together, they may be larger than a value can be. */
  setKnown(known: KnownRules): void {
    for (const kind of KINDS) {
      const values = new Map(known[kind].map((value, n) => [`${kind}:${String(n).padStart(4, "0")}`, value]));
      for (const [name, value] of values) this.setFact(name, value);
      const beyond = `${kind}:${String(values.size).padStart(4, "0")}`;
      const isShorter = this.#tables.read(FROM_NAME, beyond, `${kind};`).length > 0;
      if (isShorter) this.#tables.write("DELETE FROM facts WHERE name >= ? AND name < ?", beyond, `${kind};`);
    }
  }

  /** False when the event was noticed before. */
  firstSeen(key: string, at: number): boolean {
    if (this.#tables.read("SELECT 1 FROM seen WHERE key = ?", key).length > 0) return false;
    this.#tables.write("INSERT INTO seen VALUES (?, ?)", key, at);
    return true;
  }

  forgetSeen(before: number): void {
    if (this.#tables.read("SELECT 1 FROM seen WHERE at < ? LIMIT 1", before).length === 0) return;
    this.#tables.write("DELETE FROM seen WHERE at < ?", before);
  }

  /** Workflows, and runs of workflows with one concurrency key, whose last run failed; the oldest failure first. */
  failing(): Failing[] {
    return this.#tables.read("SELECT workflow_id, at FROM failing ORDER BY at").map((row) => {
      const [workflowId = "", ...key] = String(row["workflow_id"]).split(" ");
      return { workflowId, key: key.length === 0 ? null : key.join(" "), at: Number(row["at"]) };
    });
  }

  failingSince(of: Pick<Failing, "workflowId" | "key">): number | null {
    const [row] = this.#tables.read("SELECT at FROM failing WHERE workflow_id = ?", nameOf(of));
    return row === undefined ? null : Number(row["at"]);
  }

  /** Beyond `FAILING_MAX`, the oldest failures are forgotten. */
  setFailing(of: Failing): void {
    this.#tables.write("INSERT OR REPLACE INTO failing VALUES (?, ?)", nameOf(of), of.at);
    this.#tables.write(
      "DELETE FROM failing WHERE workflow_id IN (SELECT workflow_id FROM failing ORDER BY at DESC LIMIT -1 OFFSET ?)",
      FAILING_MAX,
    );
  }

  forgetFailing(of: Pick<Failing, "workflowId" | "key">): void {
    this.#tables.write("DELETE FROM failing WHERE workflow_id = ?", nameOf(of));
  }

  /** When a rule reported that a condition lasts; null when it did not, or when that is over. */
  reportedAt(ruleId: string, key: string): number | null {
    const [row] = this.#tables.read("SELECT value FROM conditions WHERE rule_id = ? AND key = ?", ruleId, key);
    return row === undefined ? null : valueOf<number>(row);
  }

  setReported(ruleId: string, key: string, at: number | null): void {
    if (at === null) this.#tables.write("DELETE FROM conditions WHERE rule_id = ? AND key = ?", ruleId, key);
    else this.#tables.write("INSERT OR REPLACE INTO conditions VALUES (?, ?, ?)", ruleId, key, JSON.stringify(at));
  }

  /** Forgets the conditions of other rules, and those from before a rule began. `sinceOf` is by rule (epoch ms). */
  keepConditions(sinceOf: ReadonlyMap<string, number>): void {
    for (const row of this.#tables.read("SELECT rule_id, key, value FROM conditions")) {
      const ruleId = String(row["rule_id"]);
      const isOld = valueOf<number>(row) < (sinceOf.get(ruleId) ?? Infinity);
      if (isOld) this.setReported(ruleId, String(row["key"]), null);
    }
  }

  /** Forgets conditions of what is no longer there. */
  keepConditionKeys(keys: ReadonlySet<string>): void {
    for (const row of this.#tables.read("SELECT DISTINCT key FROM conditions")) {
      const key = String(row["key"]);
      if (!keys.has(key)) this.#tables.write("DELETE FROM conditions WHERE key = ?", key);
    }
  }

  get groups(): ReadonlyMap<string, Group> {
    return this.#groups;
  }

  /** Changes a group. `writeGroups` stores it. */
  setGroup(ruleId: string, group: Group): void {
    this.#groups.set(ruleId, group);
    this.#changed.add(ruleId);
  }

  /** To be called in the turn of the change. */
  writeGroups(): void {
    for (const ruleId of this.#changed) {
      const value = JSON.stringify(this.#groups.get(ruleId));
      this.#tables.write("INSERT OR REPLACE INTO groups VALUES (?, ?)", ruleId, value);
    }
    this.#changed.clear();
  }

  /** Removes what belongs to rules that no longer exist. */
  keepRules(ruleIds: ReadonlySet<string>): void {
    for (const ruleId of this.#groups.keys()) {
      if (ruleIds.has(ruleId)) continue;
      this.#tables.write("DELETE FROM groups WHERE rule_id = ?", ruleId);
      this.#groups.delete(ruleId);
      this.#changed.delete(ruleId);
    }
    for (const row of this.#tables.read("SELECT DISTINCT rule_id FROM notices")) {
      const ruleId = String(row["rule_id"]);
      if (!ruleIds.has(ruleId)) this.#tables.write("DELETE FROM notices WHERE rule_id = ?", ruleId);
    }
    this.outcomes.keepRules(ruleIds);
  }

  addNotice(notice: NoticeRecord): void {
    const { id, ruleId } = notice;
    this.#tables.write("INSERT OR REPLACE INTO notices VALUES (?, ?, ?)", id, ruleId, JSON.stringify(notice));
    this.outcomes.note(notice);
    this.#tables.write(
      `DELETE FROM notices WHERE rule_id = ?1 AND value ->> '$.result' <> 'sending' AND id NOT IN
        (SELECT id FROM notices WHERE rule_id = ?1 ORDER BY id DESC LIMIT ${NOTICES_KEPT})`,
      ruleId,
    );
  }

  noticeOf(id: string): NoticeRecord | null {
    const [row] = this.#tables.read("SELECT value FROM notices WHERE id = ?", id);
    return row === undefined ? null : valueOf<NoticeRecord>(row);
  }

  /** Newest first. */
  noticesOf(ruleId: string): NoticeRecord[] {
    return this.#tables
      .read(`SELECT value FROM notices WHERE rule_id = ? ORDER BY id DESC LIMIT ${NOTICES_KEPT}`, ruleId)
      .map((row) => valueOf<NoticeRecord>(row));
  }

  count({ on, result }: Omit<NoticeCount, "n">): void {
    this.#tables.write(
      'INSERT INTO counts VALUES (?, ?, 1) ON CONFLICT ("on", result) DO UPDATE SET n = n + 1',
      on,
      result,
    );
  }

  counts(): NoticeCount[] {
    return this.#tables
      .read(`SELECT json_object('on', "on", 'result', result, 'n', n) AS value FROM counts ORDER BY "on", result`)
      .map((row) => valueOf<NoticeCount>(row));
  }

  #all<T>(kind: (typeof KINDS)[number]): T[] {
    return this.#tables.read(FROM_NAME, `${kind}:`, `${kind};`).map((row) => valueOf<T>(row));
  }
}

/** A workflow's id, and a key after a space. */
function nameOf({ workflowId, key }: Pick<Failing, "workflowId" | "key">): string {
  return key === null ? workflowId : `${workflowId} ${key}`;
}

function valueOf<T>(row: SqlRow): T {
  return JSON.parse(String(row["value"]));
}
