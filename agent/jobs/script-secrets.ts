import { isActionName, secretsFromOf } from "../../schema/contract/action.ts";
import type { Job } from "../../schema/contract/agent.ts";
import type { Release, Releases } from "../vault/releases.ts";

/**
 * The custom connection whose secrets the job's script gets (docs/design/connections.md#secrets-for-scripts); null for
 * any other job.
 */
export function secretsSourceOf({ kind, action, params }: Job): string | null {
  return kind === "action" && action !== null && isActionName(action) ? secretsFromOf(action, params) : null;
}

/** The secrets of that connection from the vault; null when the job asks for none. */
export function scriptCredentialOf(job: Job, releases: Pick<Releases, "forScript">): Release | null {
  const source = secretsSourceOf(job);
  if (source === null) return null;
  return releases.forScript(source, job.secretsConnection?.id === source ? job.secretsConnection : null, job);
}
