import { z } from "zod";
import { migrateDatabase } from "../../scripts/migrate-database.ts";
import type { Violation } from "../checks/violation.ts";
import { violation } from "../checks/violation.ts";
import { readRows, startDatabase } from "../database-program.ts";
import { makePlace } from "../programs.ts";
import type { FloodAgent } from "./agent.ts";
import { endedOnce, pausedBetweenAttempts } from "./checks.ts";
import type { FloodExecution } from "./checks.ts";
import { DatabaseProxy } from "./database-proxy.ts";
import { figuresOf } from "./figures.ts";
import type { FloodFigures } from "./figures.ts";
import { flood } from "./flood.ts";
import type { FloodOptions, FloodRecord } from "./flood.ts";
import { addCounts, reasonOf } from "./reason.ts";
import { startIsolate } from "./isolates.ts";
import type { Isolate } from "./isolates.ts";

export interface FloodOutcome {
  figures: FloodFigures;
  violations: Violation[];
}

/** A key accepts 60 requests a minute; a probe comes every 200 ms. */
const PROBE_WEBHOOKS = 6;
/** The Cron Trigger's work, a minute apart in production. */
const TICK_EVERY_MS = 10_000;
const READ_TRIES = 8;

/** One flood on a new database: calm, fault and flood together, the fault's end, drain, checks. */
export async function runFlood(options: FloodOptions): Promise<FloodOutcome> {
  const place = await makePlace(options.directory);
  const isolates: Isolate[] = [];
  const database = await startDatabase(place, options.database);
  let proxy: DatabaseProxy | null = null;
  const stopIsolates = () => Promise.all(isolates.splice(0).map((isolate) => isolate.stop()));
  try {
    await migrateDatabase({ url: database.url });
    proxy = await DatabaseProxy.start(database.port);
    for (let number = 1; number <= options.isolates; number += 1) {
      const isolate = await startIsolate({
        directory: options.directory,
        name: `flood-${number}`,
        databaseUrl: proxy.url,
        webhooks: Math.ceil(options.workflows / options.isolates),
        probes: Math.ceil(PROBE_WEBHOOKS / options.isolates),
      });
      isolates.push(isolate);
    }
    const agents = isolates.map(({ agent }) => agent);
    const stopTicking = tick(isolates);
    const record = await flood(options, isolates, proxy).finally(stopTicking);
    // A server that still has thousands of requests would not answer the check's read.
    await stopIsolates();
    const executions = await readExecutions(database.url).catch(reasonOf);
    const { traffic, attempts } = proxy;
    const agentFailures: Record<string, number> = {};
    for (const { failures } of agents) addCounts(agentFailures, failures);
    return {
      figures: figuresOf(options, record, { traffic, longestRow: attempts.longest, agentFailures }),
      violations: [...violationsOf(record, executions, agents), ...pausedBetweenAttempts(attempts.longest)],
    };
  } finally {
    await stopIsolates();
    await proxy?.close();
    await database.child.kill();
  }
}

function violationsOf(
  { events, probes }: FloodRecord,
  executions: readonly FloodExecution[] | string,
  agents: readonly FloodAgent[],
): Violation[] {
  if (typeof executions === "string") return [violation("the database answers after the drain", executions)];
  const jobs = agents.flatMap((agent) => [...agent.jobs.values()]);
  return endedOnce([...events, ...probes], executions, jobs);
}

/** Only a single Worker is ticked: with several, each would repeat the others' unfinished calls to its own objects. */
function tick(isolates: readonly Isolate[]): () => void {
  const [only, another] = isolates;
  if (only === undefined || another !== undefined) return () => undefined;
  const timer = setInterval(() => void only.worker.tick().catch(() => undefined), TICK_EVERY_MS);
  return () => clearInterval(timer);
}

const executionRow = z.object({
  id: z.string(),
  mark: z.string(),
  status: z.string(),
  jobs: z.number(),
  succeededJobs: z.number(),
  lateResults: z.number(),
});

/** Rejects when the server does not answer in any of several tries. */
async function readExecutions(url: string): Promise<FloodExecution[]> {
  const jobsOf = "FROM jobs WHERE jobs.execution_id = executions.id";
  const sql = `SELECT id, json_extract("trigger", '$.variables.mark') AS mark, status,
    (SELECT count(*) ${jobsOf}) AS jobs, (SELECT count(*) FILTER (WHERE jobs.status = 'succeeded') ${jobsOf}) AS succeededJobs,
    (SELECT count(*) FROM stale_results WHERE job_id IN (SELECT jobs.id ${jobsOf})) AS lateResults FROM executions`;
  for (let tries = 1; ; tries += 1) {
    try {
      return await readRows(url, sql, executionRow);
    } catch (error) {
      if (tries === READ_TRIES) throw error;
    }
  }
}
