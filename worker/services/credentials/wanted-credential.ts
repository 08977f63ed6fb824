import { createHash } from "node:crypto";
import { connectionTargetSchema } from "../../../schema/contract/connection.ts";
import type { ConnectionType } from "../../../schema/contract/connection.ts";
import { canonicalTarget, targetOf } from "../../../schema/contract/credential-target.ts";
import type { CredentialTarget } from "../../../schema/contract/credential-target.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { sealedWorkflows } from "../../../schema/contract/usable-by.ts";
import type { UsableBy } from "../../../schema/contract/usable-by.ts";
import { targetFloor } from "../../domain/credential/usable.ts";
import type { WantedCredential } from "../../domain/credential/usable.ts";

/** What of a connection makes its target. */
interface ConnectionPlace {
  type: ConnectionType;
  config: JsonObject;
  usableBy: UsableBy | null;
}

/** What an agent's credential for this connection must be like. `credential` is the agent's record, if there is one. */
export function wantedCredential(
  connection: ConnectionPlace & { targetEdits: number },
  credential: { targetFloor: number } | null,
): WantedCredential {
  return { target: targetDigest(connection), floor: targetFloor(connection, credential) };
}

/** As agents report it: SHA-256 of the canonical text, base64url. Null for a configuration of an older form. */
export function targetDigest(connection: ConnectionPlace): string | null {
  const target = targetFor(connection);
  return target === null ? null : digestOfTarget(target);
}

/** Where a connection leads, and the workflows that its credential is for. Null for a configuration of an older form. */
export function targetFor({ type, config, usableBy }: ConnectionPlace): CredentialTarget | null {
  const { data } = connectionTargetSchema.safeParse({ type, config });
  return data === undefined ? null : targetOf(data, sealedWorkflows(usableBy));
}

/** What an approval of a connection's jobs is given to: its target, and the agent or pool that runs them. */
export function approvedTarget(
  connection: Parameters<typeof targetDigest>[0] & { agentId: string | null; poolId: string | null },
): string {
  const { agentId, poolId } = connection;
  return `${targetDigest(connection) ?? ""} ${agentId === null ? `pool:${poolId ?? ""}` : `agent:${agentId}`}`;
}

export function digestOfTarget(target: CredentialTarget): string {
  return createHash("sha256").update(canonicalTarget(target)).digest("base64url");
}
