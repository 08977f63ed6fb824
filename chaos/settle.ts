import { z } from "zod";
import { poolSchema } from "../schema/contract/management.ts";
import { noticesSchema } from "../schema/contract/notification-rule.ts";
import { countReported } from "./checks/failures.ts";
import { deliverMissing } from "./credentials.ts";
import { readRows } from "./database-program.ts";
import { moveTo, startAgain } from "./inflict.ts";
import { RULE_NAMES, reports } from "./rules.ts";
import { AGENTS } from "./schedule.ts";
import { POOLS } from "./setup.ts";
import type { Load } from "./setup.ts";
import type { System } from "./system.ts";

const LOOK_EVERY_MS = 250;
const SHOWN = 20;

/** Undoes every fault. From this state the system must come to rest without help. */
export async function healEverything(system: System): Promise<void> {
  for (const proxy of Object.values(system.links)) proxy.heal();
  for (const child of [system.database.child, system.service, ...AGENTS.map((name) => system.agents[name].child)]) {
    child.signal("SIGCONT");
  }
  await startAgain(system, "database");
  await startAgain(system, "service");
  for (const name of AGENTS) {
    const agent = system.agents[name];
    await agent.start();
    await moveTo(system, agent, agent.homePool);
  }
}

/**
 * Waits until all work has ended. Returns the reasons for unrest after `withinMs`: empty when the system is at rest.
 */
export async function comeToRest(system: System, load: Load, withinMs: number): Promise<string[]> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    // After a new key or a move, an agent lacks its credentials until a person delivers them.
    await deliverMissing(system.admin, load.credentials).catch(() => undefined);
    const unrest = [
      ...(await openRows(system.database.url)),
      ...(await waitingInPools(system)),
      ...(await unsentNotices(system, load)),
    ];
    if (unrest.length === 0) return [];
    if (performance.now() > deadline) {
      const shown = unrest.slice(0, SHOWN);
      const more = unrest.length - shown.length;
      return [`not at rest within ${withinMs / 1_000} s`, ...shown, ...(more > 0 ? [`and ${more} more`] : [])];
    }
    await Bun.sleep(LOOK_EVERY_MS);
  }
}

const openRow = z.object({ what: z.string() });

async function openRows(url: string): Promise<string[]> {
  const sql = `SELECT 'execution ' || id || ' is running' AS what FROM executions WHERE status = 'running'
    UNION ALL SELECT 'job ' || id || ' of ' || coalesce(execution_id, kind) || ' is ' || status FROM jobs
      WHERE status NOT IN ('succeeded', 'failed', 'timed_out', 'cancelled')
    UNION ALL SELECT 'event ' || id || ' of an incident is not matched' FROM incident_events WHERE matched_at IS NULL
    UNION ALL SELECT 'the failure workflows of ' || execution_id || ' have not started' FROM unreported_failures`;
  return readRows(url, sql, openRow).then(
    (rows) => rows.map(({ what }) => what),
    (error: unknown) => [`the database does not answer: ${String(error)}`],
  );
}

const failedRow = z.object({ workflow_id: z.string() });
const withId = z.object({ id: z.string() });

/** Failures that a rule has not reported, and messages that the service still sends. */
async function unsentNotices({ admin, database, receiver }: System, { workflowIds }: Load): Promise<string[]> {
  const failed = await readRows(database.url, "SELECT workflow_id FROM executions WHERE status = 'failed'", failedRow)
    // The other reads say that the database is away.
    .catch(() => []);
  const kinds = failed.flatMap(({ workflow_id: id }) => workflowIds.get(id) ?? []);
  const late = RULE_NAMES.flatMap((rule) => {
    const [expected, said] = [
      kinds.filter((kind) => reports(rule, kind)).length,
      countReported(rule, receiver.notices),
    ];
    return said < expected ? [`the rule ${rule} has reported ${said} of ${expected} failures`] : [];
  });
  const rules = await admin.call("GET", "/notification-rules", undefined, z.array(withId));
  const recent = await Promise.all(
    rules.map(({ id }) => admin.call("GET", `/notification-rules/${id}/notices`, undefined, noticesSchema)),
  );
  const sending = recent.flatMap(({ notices }) => notices).filter(({ result }) => result === "sending");
  return [...late, ...sending.map(({ id, detail }) => `notice ${id} is being sent: ${detail ?? "no failed attempt"}`)];
}

async function waitingInPools({ admin }: System): Promise<string[]> {
  const pools = await Promise.all(
    Object.values(POOLS).map((id) => admin.call("GET", `/pools/${id}`, undefined, poolSchema)),
  );
  return pools.flatMap(({ id, queueDepth, waiting, members }) => [
    ...waiting.map(({ jobId, reason }) => `pool ${id}: ${jobId} waits: ${reason}`),
    ...(queueDepth > waiting.length ? [`pool ${id}: ${queueDepth} jobs in its queue`] : []),
    ...members
      .filter(({ runningJobs }) => runningJobs > 0)
      .map(({ name, runningJobs }) => `pool ${id}: ${name} has ${runningJobs} running jobs`),
  ]);
}
