import { AGENT_CALL_LIMIT_MS } from "../../../schema/limits.ts";
import type { Role } from "../../../schema/contract/people.ts";
import { isUsableIn, mayRun } from "../../domain/credential/may-use.ts";
import type { JobConnection } from "../../actors/dispatcher/rules/job-connection.ts";
import { logWarning } from "../log.ts";
import { withTimeout } from "../../actors/kit/with-timeout.ts";
import type { LiveJob } from "./job-book.ts";
import { reviewBy } from "./pool.ts";
import type { Pool } from "./pool.ts";
import type { CredentialSync } from "./pool-world.ts";
import { tellToPoll } from "./tell-to-poll.ts";

const MAX_IDS_A_QUERY = 500;
/** Each may hold more than a megabyte of ciphertext. */
const MAX_SYNCS_A_QUERY = 10;
/** When libSQL did not answer, it is asked again this soon. */
const AGAIN_AFTER_MS = 5_000;

/** What libSQL says now of what waiting jobs are about. */
export interface Readings {
  readonly connections: ReadonlyMap<string, JobConnection>;
  /** The connection of a job; null when there is none. */
  connectionOf(live: LiveJob): JobConnection | null;
  /** The connection whose secrets a job's script gets; null where it gets none. */
  secretsConnectionOf(live: LiveJob): JobConnection | null;
  /** Whether that connection is there and enabled; true where the script gets none. */
  hasSecrets(live: LiveJob): boolean;
  /** The connection of a job that may not use it now, being neither of a listed workflow nor of a person who may; null for none. */
  notUsableBy(live: LiveJob): JobConnection | null;
  /** What a credentialSync job brings to its agent; null when another state has overtaken it. */
  syncOf(live: LiveJob): CredentialSync | null;
}

/**
 * The connections of these jobs as they stand now, in one query for up to 500 (specification: "Configuration edits take
 * effect at the next job dispatch"), and the credentials to bring. Null when libSQL does not answer: then nothing is
 * decided, and the jobs wait. `agentId` is the agent whose call waits for it, if one does; `also` are further connections.
 */
export async function readConnectionsOf(
  pool: Pool,
  jobs: readonly LiveJob[],
  agentId: string | null,
  also: Iterable<string> = [],
): Promise<Readings | null> {
  const endsAt = pool.world.now() + AGENT_CALL_LIMIT_MS;
  const read = async <T>(start: () => Promise<T>): Promise<T> => {
    if (agentId === null) return start();
    const left = endsAt - pool.world.now();
    if (left <= 0) throw new Error("the time of the agent's call is over");
    return withTimeout(left, "reading connections", start());
  };
  const syncIds = jobs.filter(isSync).map(({ job }) => job.facts.jobId);
  const ids = [...new Set([...jobs.filter((live) => !isSync(live)).flatMap(connectionsNamedBy), ...also])];
  const connections = new Map<string, JobConnection>();
  const syncs = new Map<string, CredentialSync>();
  const roles = new Map<string, Role>();
  try {
    for (let i = 0; i < ids.length; i += MAX_IDS_A_QUERY) {
      for (const entry of await read(() => pool.world.readConnections(ids.slice(i, i + MAX_IDS_A_QUERY), agentId))) {
        connections.set(...entry);
      }
    }
    const people = [...new Set(jobs.flatMap((live) => peopleToAsk(live, connections)))];
    for (let i = 0; i < people.length; i += MAX_IDS_A_QUERY) {
      for (const entry of await read(() => pool.world.readRoles(people.slice(i, i + MAX_IDS_A_QUERY)))) {
        roles.set(...entry);
      }
    }
    for (let i = 0; i < syncIds.length; i += MAX_SYNCS_A_QUERY) {
      for (const entry of await read(() => pool.world.readSyncs(syncIds.slice(i, i + MAX_SYNCS_A_QUERY)))) {
        syncs.set(...entry);
      }
    }
    noteAnswer(pool);
  } catch (error) {
    logWarning("connections could not be read; jobs wait until they can", { error: String(error) });
    pool.timers.databaseSilent = true;
    reviewBy(pool, pool.world.now() + AGAIN_AFTER_MS);
    return null;
  }
  return {
    connections,
    connectionOf: ({ job }) => connections.get(job.facts.connectionId) ?? null,
    secretsConnectionOf: ({ job }) => connections.get(job.facts.secretsFrom ?? "") ?? null,
    hasSecrets: ({ job: { facts } }) =>
      facts.secretsFrom === undefined || connections.get(facts.secretsFrom)?.enabled === true,
    notUsableBy: (live) =>
      restrictedOf(live, connections).find(
        ({ usableBy }) => !mayRun(usableBy, live.job.facts, (person) => roles.get(person) ?? null),
      ) ?? null,
    syncOf: ({ job }) => syncs.get(job.facts.jobId) ?? null,
  };
}

/** What agents could not be given while it was silent waits for their polls, which may be long in coming. */
function noteAnswer(pool: Pool): void {
  if (!pool.timers.databaseSilent) return;
  pool.timers.databaseSilent = false;
  const kept = pool.jobs.waiting().flatMap(({ job: { stage } }) => (stage.type === "assigned" ? stage.agentId : []));
  tellToPoll(pool, new Set(kept));
}

export function isSync({ job }: LiveJob): boolean {
  return job.facts.kind === "credentialSync";
}

/** The connections of a job that do not let its workflow use them, whoever published it. */
function restrictedOf(live: LiveJob, connections: ReadonlyMap<string, JobConnection>): JobConnection[] {
  if (isSync(live)) return [];
  return connectionsNamedBy(live).flatMap((id) => {
    const connection = connections.get(id);
    return connection === undefined || isUsableIn(connection.usableBy, live.job.facts.workflowId) ? [] : [connection];
  });
}

/** Whose role decides on a job. */
function peopleToAsk(live: LiveJob, connections: ReadonlyMap<string, JobConnection>): string[] {
  const { onBehalfOf = null } = live.job.facts;
  return onBehalfOf === null || restrictedOf(live, connections).length === 0 ? [] : [onBehalfOf];
}

function connectionsNamedBy({ job: { facts } }: LiveJob): string[] {
  return facts.secretsFrom === undefined ? [facts.connectionId] : [facts.connectionId, facts.secretsFrom];
}
