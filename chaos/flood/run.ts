import { z } from "zod";
import { migrateDatabase } from "../../scripts/migrate-database.ts";
import type { Violation } from "../checks/violation.ts";
import { violation } from "../checks/violation.ts";
import { readRows, startDatabase } from "../database-program.ts";
import { makePlace } from "../programs.ts";
import { endedOnce, pausedBetweenAttempts } from "./checks.ts";
import { DatabaseProxy } from "./database-proxy.ts";
import { figuresOf } from "./figures.ts";
import type { FloodFigures } from "./figures.ts";
import { flood } from "./flood.ts";
import type { FloodOptions } from "./flood.ts";
import { addCounts } from "./reason.ts";
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
  const cleanUp: (() => Promise<unknown>)[] = [];
  try {
    const place = await makePlace(options.directory);
    const database = await startDatabase(place, options.database);
    cleanUp.push(() => database.child.kill());
    await migrateDatabase({ url: database.url });
    const proxy = await DatabaseProxy.start(database.port);
    cleanUp.push(() => proxy.close());
    const isolates: Isolate[] = [];
    for (let number = 1; number <= options.isolates; number += 1) {
      const isolate = await startIsolate({
        directory: options.directory,
        name: `flood-${number}`,
        databaseUrl: proxy.url,
        webhooks: Math.ceil(options.workflows / options.isolates),
        probes: Math.ceil(PROBE_WEBHOOKS / options.isolates),
      });
      cleanUp.unshift(() => isolate.stop());
      isolates.push(isolate);
    }
    const stopTicking = tick(isolates);
    const record = await flood(options, isolates, proxy).finally(stopTicking);
    const executions = await readExecutions(database.url);
    const jobs = isolates.flatMap(({ agent }) => [...agent.jobs.values()]);
    const unknown = violation("the database answers after the drain", "it did not answer the check's read");
    const broken = executions === null ? [unknown] : endedOnce([...record.events, ...record.probes], executions, jobs);
    const agentFailures: Record<string, number> = {};
    for (const { agent } of isolates) addCounts(agentFailures, agent.failures);
    const seen = { traffic: proxy.traffic, longestRow: proxy.attempts.longest, agentFailures };
    return {
      figures: figuresOf(options, record, seen),
      violations: [...broken, ...pausedBetweenAttempts(proxy.attempts.longest)],
    };
  } finally {
    for (const end of cleanUp) await end();
  }
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

/** Null when the server does not answer in any of several tries. */
async function readExecutions(url: string): Promise<z.infer<typeof executionRow>[] | null> {
  const jobsOf = "FROM jobs WHERE jobs.execution_id = executions.id";
  const sql = `SELECT id, json_extract("trigger", '$.variables.mark') AS mark, status,
    (SELECT count(*) ${jobsOf}) AS jobs, (SELECT count(*) ${jobsOf} AND jobs.status = 'succeeded') AS succeededJobs,
    (SELECT count(*) FROM stale_results WHERE job_id IN (SELECT jobs.id ${jobsOf})) AS lateResults FROM executions`;
  for (let tries = 1; tries <= READ_TRIES; tries += 1) {
    const rows = await readRows(url, sql, executionRow).catch(() => null);
    if (rows !== null) return rows;
  }
  return null;
}
