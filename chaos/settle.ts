import { z } from "zod";
import { poolSchema } from "../schema/contract/management.ts";
import { deliverMissing } from "./credentials.ts";
import { readRows } from "./database-program.ts";
import { moveTo, startAgain } from "./inflict.ts";
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
    const unrest = [...(await openRows(system.database.url)), ...(await waitingInPools(system))];
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
    UNION ALL SELECT 'event ' || id || ' of an incident is not matched' FROM incident_events WHERE matched_at IS NULL`;
  return readRows(url, sql, openRow).then(
    (rows) => rows.map(({ what }) => what),
    (error: unknown) => [`the database does not answer: ${String(error)}`],
  );
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
