import { isActionName, secretsFromOf } from "../../schema/contract/action.ts";
import type { Job } from "../../schema/contract/agent.ts";
import type { Secrets } from "../../schema/contract/credential.ts";

/** The custom connection whose secrets the job's script is to get (design 5); null for any other job. */
export function secretsSourceOf({ kind, action, params }: Job): string | null {
  return kind === "action" && action !== null && isActionName(action) ? secretsFromOf(action, params) : null;
}

/** Its secrets from the vault; null when there are none, or the job asks for none. */
export function scriptSecretsOf(job: Job, vault: { secrets(connectionId: string): Secrets | null }): Secrets | null {
  const source = secretsSourceOf(job);
  return source === null ? null : vault.secrets(source);
}
