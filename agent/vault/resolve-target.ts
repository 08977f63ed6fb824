import { connectionTypeSchema } from "../../schema/contract/connection.ts";
import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import type { Secrets } from "../../schema/contract/credential.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { problemWithSecretsFor } from "../../schema/contract/secret-shapes.ts";
import type { Executors } from "../executors-port.ts";
import type { ExecutorSettings } from "../executors/executor.ts";
import { ExecutorFailure } from "../executors/shared/failures.ts";
import type { Programs } from "../programs/program.ts";
import type { Binding } from "./entries.ts";

/** What is stored of a credential. Without a target it is bound to none. */
export interface CredentialContent {
  secrets: Secrets;
  target?: CredentialTarget | undefined;
}

/** What only this agent knows of each entry of a target. Throws TargetUnresolved. */
export type ResolveTarget = (connectionId: string, target: CredentialTarget, secrets: Secrets) => Promise<JsonObject[]>;

/** Why a credential cannot be bound here now, for a person. */
export class TargetUnresolved extends Error {
  override readonly name = "TargetUnresolved";
}

/** Throws TargetUnresolved where these secrets do not log in to that target. */
export function requireFit(target: CredentialTarget, secrets: Secrets): void {
  const problem = problemWithSecretsFor(target, secrets);
  if (problem !== null) throw new TargetUnresolved(`The credential does not fit this target: ${problem}.`);
}

/** What a credential is bound to, with what is resolved now. */
export async function bindingOf(
  { resolveTarget }: { resolveTarget: ResolveTarget },
  connectionId: string,
  { target, secrets }: CredentialContent,
): Promise<Binding | null> {
  return target === undefined ? null : { target, resolved: await resolveTarget(connectionId, target, secrets) };
}

/** Has each entry resolved by the executor of its type. */
export function targetResolver(
  executors: Pick<Executors, "load">,
  settings: Pick<ExecutorSettings, "slackApiUrl">,
  programs: Programs,
): ResolveTarget {
  return async (connectionId, target, secrets) =>
    Promise.all(
      target.map(async (entry) => {
        const type = connectionTypeSchema.safeParse(entry["type"]);
        const executor = type.success ? await executors.load(type.data) : null;
        try {
          return (await executor?.resolveTarget?.({ connectionId, entry, secrets, settings, programs })) ?? {};
        } catch (error) {
          if (!(error instanceof ExecutorFailure)) throw error;
          const message = `Where this credential would be used cannot be found out on this agent: ${error.message}`;
          throw new TargetUnresolved(message, { cause: error });
        }
      }),
    );
}
