import { SUCCESS_RATE_WINDOW_MS } from "../../../schema/limits.ts";
import type { JobOrder } from "../../domain/job-order.ts";
import { ObjectTables } from "../kit/object-tables.ts";
import type { SqlRow, SqlStorage } from "../kit/object-tables.ts";
import type { FinishedJob } from "./rules/judge-result.ts";
import type { JobStage } from "./rules/job.ts";
import { toStoredAgent } from "./state/agent.ts";
import type { DispatcherState, StoredState, Watch } from "./state/state.ts";

// `payload` is the last column, and read only to deliver: SQLite reads what is before it without its overflow pages. A
// job's number is its row's own, so that storing a job writes one row and no index.
const TABLES = [
  "CREATE TABLE watch (id INTEGER PRIMARY KEY CHECK (id = 1), value TEXT NOT NULL)",
  "CREATE TABLE agents (agent_id TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
  "CREATE TABLE presences (row INTEGER PRIMARY KEY, value TEXT NOT NULL)",
  "CREATE TABLE jobs (seq INTEGER PRIMARY KEY, facts TEXT NOT NULL, stage TEXT NOT NULL, payload TEXT NOT NULL)",
  `CREATE TABLE finished (job_id TEXT NOT NULL, attempt INTEGER NOT NULL, reroutes INTEGER NOT NULL, agent_id TEXT,
    succeeded INTEGER, finished_at INTEGER NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (job_id, attempt, reroutes)) WITHOUT ROWID`,
  "CREATE INDEX finished_by_time ON finished (finished_at)",
];

const MINUTE_MS = 60_000;
/** Enough to tell who is idle for longest: a dispatcher that ends more in a day is seldom put to sleep. */
const LATEST_JOBS = 2_000;
const QUEUED = JSON.stringify({ type: "queued" } satisfies JobStage);

type Payload = Pick<JobOrder, "params" | "values">;

/** What a dispatcher keeps on disk. `save` writes what a step has changed. */
export class DispatcherStorage {
  readonly #tables: ObjectTables;

  constructor(storage: SqlStorage) {
    this.#tables = new ObjectTables(storage, TABLES);
  }

  /** All of it, at `now` (epoch ms). */
  load(now: number): StoredState {
    const [watch] = this.#values<Watch>("SELECT value FROM watch");
    return {
      agents: this.#values("SELECT value FROM agents ORDER BY agent_id"),
      presences: new Map(this.#values<[string, never][]>("SELECT value FROM presences").flat()),
      jobs: this.#tables.read("SELECT seq, facts, stage FROM jobs ORDER BY seq").map((row) => ({
        seq: Number(row["seq"]),
        facts: parse(row["facts"]),
        stage: parse(row["stage"]),
      })),
      watch: watch ?? { aliveAt: 0, nextAt: 0, graceFrom: null, sockets: 0, recordedAt: 0 },
      lastFinished: this.#lastFinished(),
      outcomes: this.#outcomes(now - SUCCESS_RATE_WINDOW_MS),
      finished: (jobId) =>
        this.#values<FinishedJob>("SELECT value FROM finished WHERE job_id = ? ORDER BY attempt, reroutes", jobId),
      oldestFinishedAt: (after) => {
        const [row] = this.#tables.read("SELECT min(finished_at) AS at FROM finished WHERE finished_at > ?", after);
        return row === undefined || row["at"] === null ? null : Number(row["at"]);
      },
    };
  }

  /** What a job does; null when its row is gone. */
  loadPayload(seq: number): Payload | null {
    const [row] = this.#tables.read("SELECT payload FROM jobs WHERE seq = ?", seq);
    return row === undefined ? null : parse(row["payload"]);
  }

  save(state: DispatcherState): void {
    this.#saveJobs(state.jobs.takeChanges());
    const { saved, deleted, presences } = state.agents.takeChanges();
    for (const agent of saved) {
      const value = JSON.stringify(toStoredAgent(agent));
      this.#tables.write("INSERT OR REPLACE INTO agents VALUES (?, ?)", agent.settings.agentId, value);
    }
    for (const agentId of deleted) this.#tables.write("DELETE FROM agents WHERE agent_id = ?", agentId);
    for (const [row, neighbours] of presences) {
      if (neighbours.length === 0) this.#tables.write("DELETE FROM presences WHERE row = ?", row);
      else this.#tables.write("INSERT OR REPLACE INTO presences VALUES (?, ?)", row, JSON.stringify(neighbours));
    }
    if (state.watchChanged)
      this.#tables.write("INSERT OR REPLACE INTO watch VALUES (1, ?)", JSON.stringify(state.watch));
    if (state.pruneBefore !== null)
      this.#tables.write("DELETE FROM finished WHERE finished_at <= ?", state.pruneBefore);
    state.watchChanged = false;
    state.pruneBefore = null;
  }

  #saveJobs({ inserted, saved, deleted, finished }: ReturnType<DispatcherState["jobs"]["takeChanges"]>): void {
    for (const [{ seq, job }, payload] of inserted) {
      const facts = JSON.stringify(job.facts);
      this.#tables.write("INSERT INTO jobs VALUES (?, ?, ?, ?)", seq, facts, stored(job.stage), payload);
    }
    for (const live of saved) {
      if (inserted.has(live)) continue;
      const { seq, job } = live;
      const facts = JSON.stringify(job.facts);
      this.#tables.write("UPDATE jobs SET facts = ?, stage = ? WHERE seq = ?", facts, stored(job.stage), seq);
    }
    for (const seq of deleted) this.#tables.write("DELETE FROM jobs WHERE seq = ?", seq);
    for (const job of finished) {
      this.#tables.write(
        "INSERT OR REPLACE INTO finished VALUES (?, ?, ?, ?, ?, ?, ?)",
        job.jobId,
        job.attempt,
        job.reroutes,
        job.agentId,
        job.succeeded === null ? null : Number(job.succeeded),
        job.finishedAt,
        JSON.stringify(job),
      );
    }
  }

  /** Who finished a job when, of the latest jobs: an agent that is not among them has been idle for longer. */
  #lastFinished(): Map<string, number> {
    const rows = this.#tables.read(
      `SELECT agent_id, max(finished_at) AS at
        FROM (SELECT agent_id, finished_at FROM finished ORDER BY finished_at DESC LIMIT ${LATEST_JOBS})
        WHERE agent_id IS NOT NULL GROUP BY agent_id`,
    );
    return new Map(rows.map((row) => [String(row["agent_id"]), Number(row["at"])]));
  }

  /** How agents' action jobs ended since `since` (epoch ms), by the minute. */
  #outcomes(since: number): StoredState["outcomes"] {
    const rows = this.#tables.read(
      `SELECT agent_id, succeeded, finished_at / ${MINUTE_MS} AS minute, count(*) AS count FROM finished
        WHERE finished_at > ? AND succeeded IS NOT NULL AND agent_id IS NOT NULL GROUP BY agent_id, succeeded, minute`,
      since,
    );
    return rows.map((row) => ({
      agentId: String(row["agent_id"]),
      minuteStart: Number(row["minute"]) * MINUTE_MS,
      succeeded: row["succeeded"] === 1,
      count: Number(row["count"]),
    }));
  }

  #values<T>(query: string, ...bindings: string[]): T[] {
    return this.#tables.read(query, ...bindings).map((row) => parse(row["value"]));
  }
}

/** No agent knows of a reservation: after a restart the job is reserved again. */
function stored(stage: JobStage): string {
  return stage.type === "reserved" ? QUEUED : JSON.stringify(stage);
}

/** The rows are written by this class alone: what they hold is read back as it was written. */
function parse(value: SqlRow[string] | undefined) {
  return JSON.parse(String(value));
}
