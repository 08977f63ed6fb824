import type { JobConnection } from "../../domain/job-connection.ts";
import { logWarning } from "../log.ts";
import type { LiveJob } from "./job-book.ts";
import type { Pool } from "./pool.ts";

const MAX_IDS_A_QUERY = 500;

/**
 * The connections of these jobs as they stand now, in one query for up to 500 (specification: "Configuration edits take
 * effect at the next job dispatch"). Null when libSQL does not answer: then nothing is decided, and the jobs wait.
 */
export async function readConnectionsOf(
  pool: Pool,
  jobs: readonly LiveJob[],
): Promise<ReadonlyMap<string, JobConnection> | null> {
  const ids = [...new Set(jobs.map(({ job }) => job.facts.connectionId))];
  const found = new Map<string, JobConnection>();
  try {
    for (let i = 0; i < ids.length; i += MAX_IDS_A_QUERY) {
      for (const [id, row] of await pool.world.readConnections(ids.slice(i, i + MAX_IDS_A_QUERY))) found.set(id, row);
    }
    pool.timers.databaseSilent = false;
    return found;
  } catch (error) {
    logWarning("connections could not be read; jobs wait until they can", { error: String(error) });
    pool.timers.databaseSilent = true;
    return null;
  }
}
