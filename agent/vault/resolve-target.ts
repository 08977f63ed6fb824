import { isDeepStrictEqual } from "node:util";
import { connectionTypeSchema } from "../../schema/contract/connection.ts";
import { canonicalTarget } from "../../schema/contract/credential-target.ts";
import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import type { Secrets } from "../../schema/contract/credential.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { problemWithSecretsFor } from "../../schema/contract/secret-shapes.ts";
import type { Executors } from "../executors-port.ts";
import type { ExecutorSettings } from "../executors/executor.ts";
import { ExecutorFailure } from "../executors/shared/failures.ts";
import type { Programs } from "../programs/program.ts";
import type { Binding } from "./entries.ts";
import { placeLine } from "./target-text.ts";

/** The content of a credential. Without a target it is unbound. */
export interface CredentialContent {
  secrets: Secrets;
  target?: CredentialTarget | undefined;
}

/** Resolves the facts that only this agent knows, for each entry of a target. Throws TargetUnresolved. */
export type ResolveTarget = (connectionId: string, target: CredentialTarget, secrets: Secrets) => Promise<JsonObject[]>;

/** Why a credential cannot be bound on this agent now, for a person. */
export class TargetUnresolved extends Error {
  override readonly name: string = "TargetUnresolved";
}

/** The secrets cannot be used for any target. */
export class SecretsUnusable extends TargetUnresolved {
  override readonly name = "SecretsUnusable";
}

/** Throws TargetUnresolved when these secrets do not fit that target. */
export function requireFit(target: CredentialTarget, secrets: Secrets): void {
  const problem = problemWithSecretsFor(target, secrets);
  if (problem !== null) throw new TargetUnresolved(`The credential does not fit this target: ${problem}.`);
}

/** A person agreed only to what was shown. Throws TargetUnresolved when the target now resolves to something else. */
export function requireShown(shown: readonly JsonObject[], resolved: readonly JsonObject[]): void {
  if (isDeepStrictEqual(shown, resolved)) return;
  throw new TargetUnresolved(
    "On this agent the target no longer leads to the place that was shown. Run the command again.",
  );
}

/**
 * The binding of a credential, resolved now. Without a target it is null. `former` is compared by `requireSamePlace`.
 * Throws TargetUnresolved.
 */
export async function bindingOf(
  { resolveTarget }: { resolveTarget: ResolveTarget },
  connectionId: string,
  { target, secrets }: CredentialContent,
  former: Binding | null = null,
): Promise<Binding | null> {
  if (target === undefined) return null;
  const bound = { target, resolved: await resolveTarget(connectionId, target, secrets) };
  if (former !== null) requireSamePlace(connectionId, former, bound);
  return bound;
}

/**
 * A delivery names the target, and its sender does not see how this host resolves it. So the result must stay the same
 * until a person binds the credential on this host again. Throws TargetUnresolved.
 */
function requireSamePlace(connectionId: string, former: Binding, next: Binding): void {
  if (canonicalTarget(former.target) !== canonicalTarget(next.target)) return;
  const changed = next.resolved.some((now, at) => {
    const before = former.resolved[at] ?? {};
    return Object.keys(before).length > 0 && Object.keys(now).length > 0 && !isDeepStrictEqual(before, now);
  });
  if (!changed) return;
  throw new TargetUnresolved(
    `On this agent the target leads to ${placeLine(next.resolved)} now, and led to ${placeLine(former.resolved)} ` +
      `when the credential was bound. If that is wrong, put back what changed on the agent's host. If it is right, run on the agent's machine: bellhop-agent credentials bind ${connectionId}.`,
  );
}

/** Resolves each entry with the executor of its type, which checks the secrets first. */
export function targetResolver(
  executors: Pick<Executors, "load">,
  settings: Pick<ExecutorSettings, "slackApiUrl">,
  programs: Programs,
): ResolveTarget {
  return async (connectionId, target, secrets) =>
    Promise.all(
      // The workflows of a credential do not affect what a target resolves to.
      target.map(async ({ workflows: _workflows, ...entry }) => {
        const type = connectionTypeSchema.safeParse(entry["type"]);
        const executor = type.success ? await executors.load(type.data) : null;
        const problem = executor?.problemWithSecrets?.(secrets) ?? null;
        if (problem !== null) throw new SecretsUnusable(`${problem}.`);
        try {
          return (await executor?.resolveTarget?.({ connectionId, entry, secrets, settings, programs })) ?? {};
        } catch (error) {
          if (!(error instanceof ExecutorFailure)) throw error;
          const message = `This agent cannot find out where the credential would be used: ${error.message}`;
          throw new TargetUnresolved(message, { cause: error });
        }
      }),
    );
}
