import type { Role } from "../../../schema/contract/people.ts";
import { AGENT_CALL_LIMIT_MS } from "../../../schema/limits.ts";
import { logWarning } from "../../services/log.ts";
import { withTimeout } from "../kit/with-timeout.ts";
import type { ConnectionSnapshot, CredentialSync } from "./events.ts";
import type { DispatcherPorts } from "./ports.ts";
import type { JobConnection } from "./rules/job-connection.ts";
import type { LiveJob } from "./state/live-job.ts";
import { connectionsNamedBy, isSync, personToAsk } from "./step/connections.ts";
import { failureMessage } from "../../store/errors.ts";

const MAX_IDS_A_QUERY = 500;
/** Small, because each may hold more than a megabyte of ciphertext. */
const MAX_SYNCS_A_QUERY = 10;

/**
 * Reads what libSQL has about the connections of these jobs, up to 500 in a query (docs/design/dispatch.md#deliveries);
 * null when libSQL does not answer. `agentId` is the agent whose call waits for the answer, null for none. `edited` are
 * further connections to read.
 */
export async function readSnapshot(
  ports: DispatcherPorts,
  jobs: readonly LiveJob[],
  agentId: string | null,
  edited: readonly string[] = [],
): Promise<ConnectionSnapshot | null> {
  const endsAt = ports.now() + AGENT_CALL_LIMIT_MS;
  async function read<V>(
    ids: readonly string[],
    most: number,
    query: (ids: readonly string[]) => Promise<Map<string, V>>,
  ) {
    const found = new Map<string, V>();
    for (let i = 0; i < ids.length; i += most) {
      const left = endsAt - ports.now();
      if (agentId !== null && left <= 0) throw new Error("the agent's call has timed out");
      const answer = query(ids.slice(i, i + most));
      for (const entry of await (agentId === null ? answer : withTimeout(left, "reading connections", answer)))
        found.set(...entry);
    }
    return found;
  }
  const syncs = jobs.filter(isSync).map(({ job }) => job.facts.jobId);
  const named = jobs.filter((live) => !isSync(live)).flatMap(connectionsNamedBy);
  try {
    const connections = await read<JobConnection>([...new Set([...named, ...edited])], MAX_IDS_A_QUERY, (ids) =>
      ports.readConnections(ids, agentId),
    );
    const people = new Set(jobs.flatMap((live) => personToAsk(live, connections)));
    return {
      connections,
      roles: await read<Role>([...people], MAX_IDS_A_QUERY, ports.readRoles),
      syncs: await read<CredentialSync>(syncs, MAX_SYNCS_A_QUERY, ports.readSyncs),
    };
  } catch (error) {
    logWarning("connections could not be read; jobs wait until they can", { error: failureMessage(error) });
    return null;
  }
}
