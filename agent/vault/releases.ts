import type { Job } from "../../schema/contract/agent.ts";
import { connectionTargetSchema } from "../../schema/contract/connection.ts";
import { canonicalTarget, coversTarget, isForWorkflow, targetOf } from "../../schema/contract/credential-target.ts";
import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import type { Secrets } from "../../schema/contract/credential.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Failure } from "../../schema/contract/problem.ts";
import { targetListOf } from "../../schema/contract/target-list.ts";
import type { TargetList } from "../../schema/contract/target-list.ts";
import type { Credential } from "./entries.ts";
import { credentialUnbound, placeChanged, targetChanged, workflowRefused } from "./target-problems.ts";

/** What a job gets of a credential. */
export type Release =
  | { state: "none" }
  /** `target_changed`, `credential_unbound` or `workflow_refused`. */
  | { state: "refused"; error: Failure }
  | {
      state: "released";
      secrets: Secrets;
      /** The hosts that were sealed with the secrets; null when they are for one. */
      targets: TargetList | null;
      /**
       * Checks a resolved target, which only this agent knows, against the bound one. `target_changed` when it differs,
       * else null.
       */
      confirm(resolved: JsonObject): Failure | null;
    };

const CUSTOM: JsonObject = { type: "custom" };

export function secretsIn(release: Release | null): Secrets | null {
  return release?.state === "released" ? release.secrets : null;
}

type JobConnection = NonNullable<Job["connection"]>;
/** The facts about a job, besides its connection, that decide. */
export type ReleaseFor = Pick<Job, "kind" | "workflowId">;

/**
 * The only way for secrets from the vault to a job, always for one target, which the credential must be bound to
 * (docs/design/credentials.md#use-by-jobs). Remembers the target that each credential was last refused for, so that a
 * person can bind the credential to it.
 */
export class Releases {
  readonly #find: (connectionId: string) => Credential | undefined;
  readonly #wanted = new Map<string, CredentialTarget>();

  constructor(find: (connectionId: string) => Credential | undefined) {
    this.#find = find;
  }

  /**
   * The credential for a job on this connection. `none` for a type without credentials, and for a configuration that
   * this version does not know, which the executor refuses.
   */
  forConnection({ id, type, config, workflows }: JobConnection, by: ReleaseFor): Release {
    const credential = this.#find(id);
    const connection = connectionTargetSchema.safeParse({ type, config });
    const wanted = connection.success ? targetOf(connection.data, workflows ?? null) : [];
    if (credential === undefined || wanted.length === 0) return { state: "none" };
    const { bound, secrets } = credential;
    const refuse = (error: Failure): Failure => {
      this.#wanted.set(id, wanted);
      return error;
    };
    if (bound === null) return { state: "refused", error: refuse(credentialUnbound(id, wanted)) };
    if (!coversTarget(bound.target, wanted)) {
      return { state: "refused", error: refuse(targetChanged(id, bound.target, wanted)) };
    }
    // The target is the bound one again, so an earlier refused target is no longer offered for binding.
    this.forget(id);
    const refused = refusalOfWorkflow(id, wanted, by);
    if (refused !== null) return { state: "refused", error: refused };
    const confirm = (resolved: JsonObject): Failure | null => {
      const known = bound.resolved.filter((_, index) => isAmong(bound.target[index], wanted));
      return isAmong(resolved, known) ? null : refuse(placeChanged(id, known, resolved));
    };
    const sealed = bound.target.find((entry) => isAmong(entry, wanted));
    return { state: "released", secrets, targets: sealed === undefined ? null : targetListOf(sealed), confirm };
  }

  /**
   * The credential for a script that names this connection in `secretsFrom`. It must be bound as a custom credential,
   * and to the connection's fields. `connection` is null in a job of an older service, which does not send the fields:
   * then only the type is compared.
   */
  forScript(connectionId: string, connection: JobConnection | null, by: ReleaseFor): Release {
    const credential = this.#find(connectionId);
    if (credential === undefined) return { state: "none" };
    const { bound, secrets } = credential;
    const types = bound?.target.map(({ type = null }) => ({ type })) ?? [];
    if (bound !== null && !isAmong(CUSTOM, types)) {
      return { state: "refused", error: targetChanged(connectionId, types, [CUSTOM]) };
    }
    if (connection !== null) return this.forConnection(connection, by);
    if (bound === null) return { state: "refused", error: credentialUnbound(connectionId, null) };
    const refused = refusalOfWorkflow(connectionId, bound.target, by);
    if (refused !== null) return { state: "refused", error: refused };
    return { state: "released", secrets, targets: null, confirm: () => null };
  }

  wantedOf(connectionId: string): CredentialTarget | undefined {
    return this.#wanted.get(connectionId);
  }

  /** The credential was bound or removed. */
  forget(connectionId: string): void {
    this.#wanted.delete(connectionId);
  }
}

/** A connection test belongs to no workflow, and sends its secrets only to the target. */
function refusalOfWorkflow(id: string, target: CredentialTarget, { kind, workflowId }: ReleaseFor): Failure | null {
  if (kind === "connectionTest" || target.every((entry) => isForWorkflow(entry, workflowId ?? null))) return null;
  return workflowRefused(id, workflowId ?? null);
}

function isAmong(one: JsonObject | undefined, others: readonly JsonObject[]): boolean {
  return one !== undefined && others.some((other) => canonicalTarget(other) === canonicalTarget(one));
}
