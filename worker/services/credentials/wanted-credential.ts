import { hash } from "node:crypto";
import { connectionTargetSchema } from "../../../schema/contract/connection.ts";
import type { ConnectionType } from "../../../schema/contract/connection.ts";
import { canonicalTarget, targetOf } from "../../../schema/contract/credential-target.ts";
import type { CredentialTarget } from "../../../schema/contract/credential-target.ts";
import { canonicalJson } from "../../../schema/contract/json.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { sealedWorkflows } from "../../../schema/contract/usable-by.ts";
import type { UsableBy } from "../../../schema/contract/usable-by.ts";
import { targetFloor } from "../../domain/credential/usable.ts";
import type { WantedCredential } from "../../domain/credential/usable.ts";

/** The parts of a connection that make up its target. */
interface ConnectionPlace {
  type: ConnectionType;
  config: JsonObject;
  usableBy: UsableBy | null;
}

/** The credential that an agent must have for this connection. `credential` is the agent's record, if there is one. */
export function wantedCredential(
  connection: ConnectionPlace & { targetEdits: number },
  credential: { targetFloor: number } | null,
): WantedCredential {
  return { target: targetDigest(connection), floor: targetFloor(connection, credential) };
}

/** In the agents' form: SHA-256 of the canonical text, base64url. Null for a configuration of an older form. */
export function targetDigest(connection: ConnectionPlace): string | null {
  const target = targetFor(connection);
  return target === null ? null : digestOfTarget(target);
}

/** A connection's destination and the workflows its credential is for. Null for a configuration of an older form. */
export function targetFor({ type, config, usableBy }: ConnectionPlace): CredentialTarget | null {
  const { data } = connectionTargetSchema.safeParse({ type, config });
  return data === undefined ? null : targetOf(data, sealedWorkflows(usableBy));
}

/**
 * The subject of an approval of a connection's jobs: the whole configuration, since a namespace or a channel decides
 * what is hit as much as a host does, and the agent or pool that runs the jobs.
 */
export function approvedTarget({ type, config, usableBy, agentId, poolId }: ConnectionPlace & Assigned): string {
  return digestOf(canonicalJson({ type, config, workflows: sealedWorkflows(usableBy), agentId, poolId }));
}

interface Assigned {
  agentId: string | null;
  poolId: string | null;
}

export function digestOfTarget(target: CredentialTarget): string {
  return digestOf(canonicalTarget(target));
}

function digestOf(text: string): string {
  return hash("sha256", text, "base64url");
}
