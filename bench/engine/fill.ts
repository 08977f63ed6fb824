import { Database } from "bun:sqlite";

export interface Filled {
  rows: number;
  seconds: number;
  megabytes: number;
}

/** Workflows of the stored executions. Every measured list has a full page in each size. */
const STORED_WORKFLOWS = 10;
/** Stored executions are spread evenly over this time before the benchmark's start. */
export const STORED_DAYS = 30;
/** One more workflow has only these executions in either size. A person started them, and all of them failed. */
const STORED_RARE = 60;
export const RARE_WORKFLOW = 50;
/** Still running, in either size: their delay is not over. */
const STORED_RUNNING = 20;
/** The size of one stored execution on disk, measured, with its indexes. */
export const BYTES_PER_EXECUTION = 2_800;

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The id of a workflow that has stored executions. */
export function storedWorkflowId(index: number): string {
  return `wf_00000000-0000-7000-8000-${String(index).padStart(12, "0")}`;
}

/**
 * Puts `rows` executions of one action each, with all their rows, into a migrated database that no process has open:
 * nine in ten succeeded, most others failed. Written straight into the file; the indexes are made afterwards.
 */
export function fillExecutions(file: string, rows: number, now: number): Filled {
  const startedAt = performance.now();
  const database = new Database(file, { readwrite: true });
  try {
    // The file need not survive a crash.
    for (const pragma of ["journal_mode = OFF", "synchronous = OFF", "cache_size = -524288", "temp_store = MEMORY"]) {
      database.run(`PRAGMA ${pragma}`);
    }
    const indexes = takeIndexes(database);
    database.transaction(() => {
      const rareEvery = Math.floor(rows / STORED_RARE);
      const stepMs = (STORED_DAYS * DAY_MS) / rows;
      database.run(SERIES, [rows, rows - STORED_RUNNING, now - STORED_DAYS * DAY_MS, stepMs, rareEvery]);
      for (const statement of INSERTS) database.run(statement);
      database.run("DROP TABLE temp.bench_series");
    })();
    for (const sql of indexes) database.run(sql);
    database.run("PRAGMA journal_mode = WAL");
  } finally {
    database.close();
  }
  return { rows, seconds: (performance.now() - startedAt) / 1_000, megabytes: Bun.file(file).size / 1_048_576 };
}

/** Drops the tables' indexes and returns the statements that make them again: one sort at the end is much faster. */
function takeIndexes(database: Database): string[] {
  const found = database
    .query<{ name: string; sql: string }, []>(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL
       AND tbl_name IN ('executions', 'execution_events', 'node_runs', 'node_run_outputs', 'jobs')`,
    )
    .all();
  for (const { name } of found) database.run(`DROP INDEX "${name}"`);
  return found.map(({ sql }) => sql);
}

/** `n` rises with time, `uuid` is a UUIDv7 of `at`, `dice` is 0 to 999 and independent of workflow and neighbour. */
const SERIES = `
CREATE TEMP TABLE bench_series AS
WITH RECURSIVE
  numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?1),
  times AS (SELECT n, CAST(?3 + n * ?4 AS INTEGER) AS at, (n * 2654435761 / 65536) % 1000 AS dice FROM numbers)
SELECT n, at,
  printf('%08x-%04x-7%03x-8%03x-%012x', at >> 16, at & 65535, n % 4096, (n / 4096) % 4096, n) AS uuid,
  printf('wf_00000000-0000-7000-8000-%012d',
    CASE n % ?5 WHEN 1 THEN ${RARE_WORKFLOW} ELSE (n * 40503 / 256) % ${STORED_WORKFLOWS} END) AS workflow,
  CASE WHEN n >= ?2 THEN 'running' WHEN n % ?5 = 1 THEN 'failed' WHEN dice < 900 THEN 'succeeded' WHEN dice < 990 THEN 'failed' ELSE 'cancelled' END AS status,
  dice
FROM times`;

const FAILURE = `'{"code":"failed","message":"The script ended with exit code 1."}'`;
const VARIABLES = `json_object('service', 'checkout', 'severity', 'critical', 'host', 'web-' || n || '.example.com')`;
const TRIGGER = `CASE workflow WHEN '${storedWorkflowId(RARE_WORKFLOW)}' THEN json_object('type', 'manual', 'variables', ${VARIABLES}, 'by', NULL) ELSE json_object('type', 'webhook', 'variables', ${VARIABLES}) END`;
const OUTPUT = `json_object('exitCode', CASE status WHEN 'failed' THEN 1 ELSE 0 END, 'stdout', 'Restarted checkout on web-' || n || '.example.com: active (running), 4 of 4 checks passed.' || char(10), 'stderr', '')`;
const ORDER = `json_object('jobId', 'job_' || uuid, 'attempt', 1, 'kind', 'action', 'executionId', 'exe_' || uuid, 'workflowId', workflow, 'nodeRunId', 'run_' || uuid, 'action', 'script.bash', 'effect', 'unsafe', 'connectionId', 'con_stored', 'poolObject', 'pool:stored', 'pinnedAgentId', NULL, 'params', json_object('script', 'systemctl restart "$BELLHOP_1"'), 'values', json_object('BELLHOP_1', 'checkout'), 'timeoutSeconds', 300, 'queueTimeoutSeconds', NULL, 'onAgentLost', NULL, 'queuedAt', at)`;
/** A year later: a delay that is not over. */
const LATER = `at + ${365 * DAY_MS}`;
const ENDED = "status <> 'running'";
/** The version of the stored executions; reading a waiting execution also reads its version. */
const DEFINITION = `'{"nodes":[{"id":"restart","type":"delay","seconds":${365 * 24 * 60 * 60}}],"edges":[]}'`;

const INSERTS = [
  `INSERT INTO workflow_versions (id, workflow_id, number, trigger, definition, published_at, published_by)
   VALUES ('wfv_stored', 'wf_stored', 1, '{"type":"webhook"}', ${DEFINITION}, 0, 'bench')`,
  `INSERT INTO executions
     (id, workflow_id, version_id, status, trigger, trigger_key, webhook_key, revision, depth, error, started_at, finished_at, wake_at)
   SELECT 'exe_' || uuid, workflow, 'wfv_stored', status, ${TRIGGER}, 'evt_' || uuid, 'wh_stored',
     CASE WHEN ${ENDED} THEN 2 ELSE 1 END, 0, CASE status WHEN 'failed' THEN ${FAILURE} END, at,
     CASE WHEN ${ENDED} THEN at + 500 + dice END, CASE WHEN ${ENDED} THEN NULL ELSE ${LATER} END
   FROM bench_series ORDER BY n`,
  `INSERT INTO execution_events (execution_id, revision, type, at)
   SELECT 'exe_' || uuid, revision, CASE revision WHEN 1 THEN 'started' ELSE 'jobFinished' END, at + revision
   FROM bench_series, (SELECT 1 AS revision UNION ALL SELECT 2)
   WHERE revision = 1 OR ${ENDED} ORDER BY n, revision`,
  `INSERT INTO node_runs
     (id, execution_id, node_id, iteration_path, status, outcome, attempt, job_id, revision, error, wake_at, queued_at, assigned_at,
      delivered_at, started_at, finished_at, reported_at)
   SELECT 'run_' || uuid, 'exe_' || uuid, 'restart', '', CASE status WHEN 'running' THEN 'waiting' ELSE status END,
     CASE status WHEN 'succeeded' THEN 'success' WHEN 'failed' THEN 'failure' END, 1,
     CASE WHEN ${ENDED} THEN 'job_' || uuid END, 2, CASE status WHEN 'failed' THEN ${FAILURE} END,
     CASE WHEN ${ENDED} THEN NULL ELSE ${LATER} END, at, at + 5, at + 20, at + 30, at + 400 + dice, at + 410 + dice
   FROM bench_series ORDER BY n`,
  `INSERT INTO node_run_outputs (node_run_id, execution_id, output)
   SELECT 'run_' || uuid, 'exe_' || uuid, ${OUTPUT} FROM bench_series WHERE ${ENDED} ORDER BY n`,
  `INSERT INTO jobs
     (id, execution_id, node_run_id, kind, action, effect, connection_id, pool_object, agent_id, status, attempt, "order", queued_at,
      confirmed_at, assigned_at, delivered_at, started_at, finished_at, reported_at)
   SELECT 'job_' || uuid, 'exe_' || uuid, 'run_' || uuid, 'action', 'script.bash', 'unsafe', 'con_stored', 'pool:stored',
     'agt_stored', status, 1, ${ORDER}, at, CASE status WHEN 'cancelled' THEN at + 60000 END, at + 5, at + 20, at + 30, at + 400 + dice, at + 410 + dice
   FROM bench_series WHERE ${ENDED} ORDER BY n`,
];
