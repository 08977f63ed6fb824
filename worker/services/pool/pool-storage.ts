import type { Presence } from "../../actors/dispatcher/rules/agent-status.ts";
import type { JobFacts, JobStage, PoolJob } from "../../actors/dispatcher/rules/job.ts";
import type { FinishedJob } from "../../actors/dispatcher/rules/judge-result.ts";
import type { JobOrder } from "../../domain/run-types.ts";
import { toStoredAgent } from "./stored-agent.ts";
import type { StoredAgent } from "./stored-agent.ts";

type Value = string | number | null;
type Row = Record<string, Value | ArrayBuffer>;

/**
 * The part of a Durable Object's storage that a Pool uses. Writes without an await between them are one transaction:
 * the platform sees to that.
 */
export interface ObjectStorage {
  readonly sql: { exec(query: string, ...bindings: Value[]): { toArray(): Row[] } };
}

export interface StoredPresence {
  /** When the Pool was last at work (epoch ms); 0 when never. */
  readonly aliveAt: number;
  readonly graceFrom: number | null;
  /** When libSQL was last told of heartbeats; older ones do not say. */
  readonly recordedAt?: number;
}

export interface StoredJob extends PoolJob {
  readonly seq: number;
}

export interface OutcomeCount {
  readonly agentId: string;
  readonly minuteStart: number;
  readonly succeeded: boolean;
  readonly count: number;
}

// `payload` stands last, and is read only to deliver: SQLite reads what is before it without its overflow pages. A job's
// number is its row's own, so that storing a job writes one row and no index.
const TABLES = [
  "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
  "CREATE TABLE IF NOT EXISTS agents (agent_id TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
  "CREATE TABLE IF NOT EXISTS presence (chunk INTEGER PRIMARY KEY, value TEXT NOT NULL)",
  "CREATE TABLE IF NOT EXISTS jobs (seq INTEGER PRIMARY KEY, facts TEXT NOT NULL, stage TEXT NOT NULL, payload TEXT NOT NULL)",
  `CREATE TABLE IF NOT EXISTS finished (job_id TEXT NOT NULL, attempt INTEGER NOT NULL, lease TEXT, agent_id TEXT,
    reroutes INTEGER NOT NULL, by TEXT NOT NULL, succeeded INTEGER, finished_at INTEGER NOT NULL,
    PRIMARY KEY (job_id, attempt, reroutes)) WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS finished_by_time ON finished (finished_at)",
];

const MINUTE_MS = 60_000;
/** Enough to tell who is idle for longest: a Pool that ends more in a day is seldom put out of memory. */
const LATEST_JOBS = 2_000;

/**
 * What a Pool keeps on disk. Nothing is written for a Pool that was never used, so that asking for one makes none. The
 * rows are written by this class alone; what they hold is read back as it was written.
 */
export class PoolStorage {
  readonly #storage: ObjectStorage;
  #tables: boolean;

  constructor(storage: ObjectStorage) {
    this.#storage = storage;
    const found = this.#rows("SELECT name FROM sqlite_master WHERE name IN ('jobs', 'presence')");
    this.#tables = found.length === 2;
    // An older version's storage lacks what came later.
    if (found.length === 1) this.#createTables();
  }

  loadAgents(): StoredAgent[] {
    return this.#read("SELECT value FROM agents ORDER BY agent_id").map((row) =>
      toStoredAgent(JSON.parse(textOf(row["value"]))),
    );
  }

  saveAgent(agent: StoredAgent): void {
    const value = JSON.stringify(agent);
    this.#write("INSERT OR REPLACE INTO agents (agent_id, value) VALUES (?, ?)", agent.settings.agentId, value);
  }

  deleteAgent(agentId: string): void {
    this.#write("DELETE FROM agents WHERE agent_id = ?", agentId);
  }

  loadPresence(): StoredPresence & { agents: ReadonlyMap<string, Presence> } {
    const [row] = this.#read("SELECT value FROM meta WHERE key = 'presence'");
    // An older version kept all agents in this row.
    const { agents = {}, ...stored }: StoredPresence & { agents?: Record<string, Presence> } =
      row === undefined ? { aliveAt: 0, graceFrom: null } : JSON.parse(textOf(row["value"]));
    const presences = new Map(Object.entries(agents));
    for (const chunk of this.#read("SELECT value FROM presence")) {
      const entries: [string, Presence][] = JSON.parse(textOf(chunk["value"]));
      for (const [agentId, presence] of entries) {
        // An agent that came before others did may stand in a second row, where it was before.
        const other = presences.get(agentId);
        if (other === undefined || (other.lastSeenAt ?? 0) <= (presence.lastSeenAt ?? 0))
          presences.set(agentId, presence);
      }
    }
    return { ...stored, agents: presences };
  }

  savePresenceChunk(chunk: number, agents: readonly (readonly [agentId: string, presence: Presence])[]): void {
    this.#write("INSERT OR REPLACE INTO presence (chunk, value) VALUES (?, ?)", chunk, JSON.stringify(agents));
  }

  deletePresenceChunks(): void {
    this.#write("DELETE FROM presence");
  }

  savePresence(presence: StoredPresence): void {
    this.#write("INSERT OR REPLACE INTO meta (key, value) VALUES ('presence', ?)", JSON.stringify(presence));
  }

  loadJobs(): StoredJob[] {
    return this.#read("SELECT seq, facts, stage FROM jobs ORDER BY seq").map((row) => ({
      seq: Number(row["seq"]),
      facts: factsOf(row["facts"]),
      stage: stageOf(row["stage"]),
    }));
  }

  /** The one write of an enqueued job. */
  insertJob(seq: number, job: PoolJob, order: JobOrder): void {
    this.#write(
      "INSERT INTO jobs (seq, facts, stage, payload) VALUES (?, ?, ?, ?)",
      seq,
      JSON.stringify(job.facts),
      JSON.stringify(job.stage),
      JSON.stringify({ params: order.params, values: order.values }),
    );
  }

  saveJob(seq: number, { facts, stage }: PoolJob): void {
    this.#write(
      "UPDATE jobs SET facts = ?, stage = ? WHERE seq = ?",
      JSON.stringify(facts),
      JSON.stringify(stage),
      seq,
    );
  }

  saveStage(seq: number, stage: JobStage): void {
    this.#write("UPDATE jobs SET stage = ? WHERE seq = ?", JSON.stringify(stage), seq);
  }

  deleteJob(seq: number): void {
    this.#write("DELETE FROM jobs WHERE seq = ?", seq);
  }

  /** What the job does; null when its row is gone. */
  loadPayload(seq: number): (Pick<JobOrder, "params" | "values"> & { chars: number }) | null {
    const [row] = this.#read("SELECT payload FROM jobs WHERE seq = ?", seq);
    if (row === undefined) return null;
    const payload = textOf(row["payload"]);
    const { params, values }: Pick<JobOrder, "params" | "values"> = JSON.parse(payload);
    return { params, values, chars: payload.length };
  }

  saveFinished(job: FinishedJob): void {
    this.#write(
      `INSERT OR REPLACE INTO finished
        (job_id, attempt, reroutes, lease, agent_id, by, succeeded, finished_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      job.jobId,
      job.attempt,
      job.reroutes,
      job.lease,
      job.agentId,
      job.by,
      job.succeeded === null ? null : Number(job.succeeded),
      job.finishedAt,
    );
  }

  loadFinished(jobId: string): FinishedJob[] {
    return this.#read("SELECT * FROM finished WHERE job_id = ? ORDER BY attempt, reroutes", jobId).map(toFinished);
  }

  /** How agents' action jobs ended since `since` (epoch ms), by the minute. */
  countOutcomes(since: number): OutcomeCount[] {
    return this.#read(
      `SELECT agent_id, succeeded, finished_at / ${MINUTE_MS} AS minute, count(*) AS count FROM finished
        WHERE finished_at > ? AND succeeded IS NOT NULL GROUP BY agent_id, succeeded, minute`,
      since,
    ).map((row) => ({
      agentId: textOf(row["agent_id"]),
      minuteStart: Number(row["minute"]) * MINUTE_MS,
      succeeded: row["succeeded"] === 1,
      count: Number(row["count"]),
    }));
  }

  /** Who finished a job when (epoch ms), of the latest jobs: whoever is not among them has been idle for longer. */
  lastFinished(): { agentId: string; finishedAt: number }[] {
    return this.#read(
      `SELECT agent_id, max(finished_at) AS at
        FROM (SELECT agent_id, finished_at FROM finished ORDER BY finished_at DESC LIMIT ${LATEST_JOBS})
        WHERE agent_id IS NOT NULL GROUP BY agent_id`,
    ).map((row) => ({ agentId: textOf(row["agent_id"]), finishedAt: Number(row["at"]) }));
  }

  /** When the job that ended first did so (epoch ms); null when none has. */
  oldestFinishedAt(): number | null {
    const [row] = this.#read("SELECT min(finished_at) AS oldest FROM finished");
    return row === undefined || row["oldest"] === null ? null : Number(row["oldest"]);
  }

  deleteFinished(before: number): void {
    this.#write("DELETE FROM finished WHERE finished_at <= ?", before);
  }

  #write(query: string, ...bindings: Value[]): void {
    if (!this.#tables) this.#createTables();
    this.#rows(query, ...bindings);
  }

  #createTables(): void {
    for (const table of TABLES) this.#rows(table);
    this.#tables = true;
  }

  #read(query: string, ...bindings: Value[]): Row[] {
    return this.#tables ? this.#rows(query, ...bindings) : [];
  }

  #rows(query: string, ...bindings: Value[]): Row[] {
    return this.#storage.sql.exec(query, ...bindings).toArray();
  }
}

function textOf(value: Row[string] | undefined): string {
  if (typeof value !== "string") throw new Error("a Pool's storage holds a value that is not text");
  return value;
}

function factsOf(value: Row[string] | undefined): JobFacts {
  return JSON.parse(textOf(value));
}

function stageOf(value: Row[string] | undefined): JobStage {
  return JSON.parse(textOf(value));
}

function toFinished(row: Row): FinishedJob {
  const text = (value: Row[string] | undefined) => (typeof value === "string" ? value : null);
  const by = text(row["by"]);
  return {
    jobId: textOf(row["job_id"]),
    attempt: Number(row["attempt"]),
    lease: text(row["lease"]),
    agentId: text(row["agent_id"]),
    reroutes: Number(row["reroutes"]),
    by: by === "result" || by === "rerouted" ? by : "service",
    succeeded: row["succeeded"] === null ? null : row["succeeded"] === 1,
    finishedAt: Number(row["finished_at"]),
  };
}
