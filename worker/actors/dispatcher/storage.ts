import { SUCCESS_RATE_WINDOW_MS } from "../../../schema/limits.ts";
import type { JobOrder } from "../../domain/job-order.ts";
import { ObjectTables } from "../kit/object-tables.ts";
import type { SqlRow, SqlStorage, SqlValue } from "../kit/object-tables.ts";
import type { FinishedJob } from "./rules/judge-result.ts";
import type { JobStage } from "./rules/job.ts";
import { toStoredAgent } from "./state/agent.ts";
import type { DispatcherState, StoredState, Watch } from "./state/state.ts";

// `payload` is the last column and is read only for a delivery: SQLite reads the columns before it without its overflow
// pages. The job's number is the row id, so that storing a job writes one row and no index.
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
/** Enough to find the agent that was idle longest: a dispatcher that ends more jobs in a day is seldom put to sleep. */
const LATEST_JOBS = 2_000;
const QUEUED = JSON.stringify({ type: "queued" } satisfies JobStage);

type Payload = Pick<JobOrder, "params" | "values">;

type Write = [query: string, ...bindings: SqlValue[]];

/** The part of a Durable Object's storage that a dispatcher uses. */
export type TransactionalStorage = SqlStorage & { transactionSync<T>(work: () => T): T };

/** A dispatcher's tables on disk. */
export class DispatcherStorage {
  readonly #storage: TransactionalStorage;
  readonly #tables: ObjectTables;

  constructor(storage: TransactionalStorage) {
    this.#storage = storage;
    this.#tables = new ObjectTables(storage, TABLES);
  }

  /** Loads everything, at `now` (epoch ms). */
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
      finished: (jobIds) =>
        this.#values<FinishedJob>(
          `SELECT value FROM finished WHERE job_id IN (SELECT value FROM json_each(?)) ORDER BY job_id, attempt, reroutes`,
          JSON.stringify(jobIds),
        ),
      oldestFinishedAt: (after) => {
        const [row] = this.#tables.read("SELECT min(finished_at) AS at FROM finished WHERE finished_at > ?", after);
        return row === undefined || row["at"] === null ? null : Number(row["at"]);
      },
    };
  }

  /** The `params` and `values` of a job; null when its row is gone. */
  loadPayload(seq: number): Payload | null {
    const [row] = this.#tables.read("SELECT payload FROM jobs WHERE seq = ?", seq);
    return row === undefined ? null : parse(row["payload"]);
  }

  /** Writes the changes of a step in one transaction. */
  save(state: DispatcherState): void {
    const writes = [...jobWrites(state), ...agentWrites(state)];
    if (state.watchChanged) writes.push(["INSERT OR REPLACE INTO watch VALUES (1, ?)", JSON.stringify(state.watch)]);
    if (state.pruneBefore !== null) writes.push(["DELETE FROM finished WHERE finished_at <= ?", state.pruneBefore]);
    state.watchChanged = false;
    state.pruneBefore = null;
    if (writes.length === 0) return;
    this.#storage.transactionSync(() => {
      for (const write of writes) this.#tables.write(...write);
    });
  }

  /** When agents finished jobs, from the latest jobs only. An agent without one has been idle longer than the rest. */
  #lastFinished(): Map<string, number> {
    const rows = this.#tables.read(
      `SELECT agent_id, max(finished_at) AS at
        FROM (SELECT agent_id, finished_at FROM finished ORDER BY finished_at DESC LIMIT ${LATEST_JOBS})
        WHERE agent_id IS NOT NULL GROUP BY agent_id`,
    );
    return new Map(rows.map((row) => [String(row["agent_id"]), Number(row["at"])]));
  }

  /** How the agents' action jobs have ended since `since` (epoch ms), counted by the minute. */
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

function jobWrites({ jobs }: DispatcherState): Write[] {
  const { inserted, saved, deleted, finished } = jobs.takeChanges();
  return [
    ...[...inserted].map(([{ seq, job }, payload]): Write => {
      return ["INSERT INTO jobs VALUES (?, ?, ?, ?)", seq, JSON.stringify(job.facts), stored(job.stage), payload];
    }),
    ...[...saved].flatMap((live): Write[] => {
      const { facts, stage } = live.job;
      if (inserted.has(live)) return [];
      return [["UPDATE jobs SET facts = ?, stage = ? WHERE seq = ?", JSON.stringify(facts), stored(stage), live.seq]];
    }),
    ...deleted.map((seq): Write => ["DELETE FROM jobs WHERE seq = ?", seq]),
    ...finished.map((job): Write => {
      const { jobId, attempt, reroutes, agentId, succeeded, finishedAt } = job;
      const isSuccess = succeeded === null ? null : Number(succeeded);
      const query = "INSERT OR REPLACE INTO finished VALUES (?, ?, ?, ?, ?, ?, ?)";
      return [query, jobId, attempt, reroutes, agentId, isSuccess, finishedAt, JSON.stringify(job)];
    }),
  ];
}

function agentWrites({ agents }: DispatcherState): Write[] {
  const { saved, deleted, presences } = agents.takeChanges();
  return [
    ...saved.map((agent): Write => {
      const value = JSON.stringify(toStoredAgent(agent));
      return ["INSERT OR REPLACE INTO agents VALUES (?, ?)", agent.settings.agentId, value];
    }),
    ...deleted.map((agentId): Write => ["DELETE FROM agents WHERE agent_id = ?", agentId]),
    ...[...presences].map(([row, neighbours]): Write => {
      if (neighbours.length === 0) return ["DELETE FROM presences WHERE row = ?", row];
      return ["INSERT OR REPLACE INTO presences VALUES (?, ?)", row, JSON.stringify(neighbours)];
    }),
  ];
}

/** Reservations are not stored, because no agent knows of them. After a restart the job is reserved again. */
function stored(stage: JobStage): string {
  return stage.type === "reserved" ? QUEUED : JSON.stringify(stage);
}

/** Only this class writes the rows, so the values are not checked. */
function parse(value: SqlRow[string] | undefined) {
  return JSON.parse(String(value));
}
