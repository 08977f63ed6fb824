import { createHash } from "node:crypto";
import { connectionTargetSchema } from "../../../schema/contract/connection.ts";
import type { ConnectionType } from "../../../schema/contract/connection.ts";
import { canonicalTarget, targetOf } from "../../../schema/contract/credential-target.ts";
import type { CredentialTarget } from "../../../schema/contract/credential-target.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { targetFloor } from "../../domain/credential/usable.ts";
import type { WantedCredential } from "../../domain/credential/usable.ts";

/** What an agent's credential for this connection must be like. `credential` is the agent's record, if there is one. */
export function wantedCredential(
  connection: { type: ConnectionType; config: JsonObject; targetEdits: number },
  credential: { targetFloor: number } | null,
): WantedCredential {
  return { target: targetDigest(connection), floor: targetFloor(connection, credential) };
}

/** As agents report it: SHA-256 of the canonical text, base64url. Null for a configuration of an older form. */
export function targetDigest({ type, config }: { type: ConnectionType; config: JsonObject }): string | null {
  const { data } = connectionTargetSchema.safeParse({ type, config });
  return data === undefined ? null : digestOfTarget(targetOf(data));
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
