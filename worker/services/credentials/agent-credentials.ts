import { takesCredential } from "../../../schema/contract/connection.ts";
import type { AgentCredential } from "../../../schema/contract/credential.ts";
import type { CredentialTarget } from "../../../schema/contract/credential-target.ts";
import { secretShapes } from "../../../schema/contract/secret-shapes.ts";
import { changedTargetFields, targetFieldLabel } from "../../../schema/contract/target-labels.ts";
import { targetMismatch } from "../../domain/credential/usable.ts";
import type { TargetMismatch } from "../../domain/credential/usable.ts";
import { wayOut } from "../../domain/credential/way-out.ts";
import type { ConnectionRow } from "../../store/connections.ts";
import type { CredentialRecord } from "../../store/credentials.ts";
import { digestOfTarget, targetFor, wantedCredential } from "./wanted-credential.ts";

const NO_PUBLIC_KEY =
  "The agent has not started with its present API key, so it has no public key to encrypt for. Start the agent once. When it is online, deliver.";

/**
 * The delivery status of each of a connection's agents (docs/design/credentials.md#delivery-states). An agent is
 * pending when it has no credential, or one for another target than the connection has now.
 */
export function agentCredentials(
  connection: Pick<
    ConnectionRow,
    "id" | "type" | "config" | "usableBy" | "targetEdits" | "targetEdited" | "formerTargets"
  >,
  recipients: readonly { agent: { id: string; publicKey: unknown }; credential: CredentialRecord | null }[],
): AgentCredential[] {
  return recipients.map(({ agent, credential }) => {
    if (credential === null || credential.state === "absent") {
      const error = agent.publicKey === null ? NO_PUBLIC_KEY : null;
      return { agentId: agent.id, status: "pending", version: 0, error, updatedAt: null };
    }
    const { version, updatedAt } = credential;
    const mismatch = mismatchOf(connection, credential);
    const known = { agentId: agent.id, version, updatedAt: new Date(updatedAt).toISOString() };
    if (mismatch === null)
      return { ...known, status: credential.status, error: credential.error ?? earlier(credential) };
    const target = formerTargetOf(credential, connection);
    return { ...known, status: "pending", error: reasonFor(mismatch, connection, { credential, target }), target };
  });
}

/** Explains that an earlier version is in use because the agent refused the delivered one (`judgeReported`). */
function earlier({ status, version, reported }: CredentialRecord): string | null {
  const used = reported?.version ?? 0;
  if (status !== "delivered" || used === 0 || used >= version) return null;
  return `The agent refused version ${version}. It uses version ${used}, which was bound or set on its machine after that.`;
}

/** Null when the agent has reported no target, or one that the connection never had: it was bound on the machine. */
function formerTargetOf(
  { reported }: Pick<CredentialRecord, "reported">,
  { formerTargets }: Pick<ConnectionRow, "formerTargets">,
): CredentialTarget | null {
  return formerTargets?.find((target) => digestOfTarget(target) === reported?.target) ?? null;
}

/** The mismatch of the credential that the agent has, or of one that waits for it without another error. */
function mismatchOf(
  connection: Parameters<typeof wantedCredential>[0],
  credential: CredentialRecord,
): TargetMismatch | null {
  const { status, version, reported, sealed, error } = credential;
  if (!takesCredential(connection.type)) return null;
  const wanted = wantedCredential(connection, credential);
  if (status === "delivered") return targetMismatch(reported ?? { version }, wanted);
  return status === "pending" && sealed && error === null ? targetMismatch({ version }, wanted) : null;
}

function reasonFor(
  mismatch: TargetMismatch,
  connection: Parameters<typeof wantedCredential>[0] & Pick<ConnectionRow, "id" | "targetEdited">,
  { credential, target }: { credential: CredentialRecord; target: CredentialTarget | null },
): string {
  const { id, type, config, targetEdited } = connection;
  if (mismatch === "other_target" && target === null && credential.reported !== null) {
    const bound = "The agent's credential is bound to a target that is not this connection's";
    return `${bound}. ${wayOut("bound_elsewhere", id, "the credential")}`;
  }
  const takesNone = secretShapes(type, config)?.length === 0;
  const way = takesNone ? withdrawal(id) : wayOut(mismatch, id, "the credential");
  if (mismatch === "unbound") return `The agent's credential is bound to no target, so it is not used. ${way}`;
  // The last edit may have changed other fields than those that differ from the bound target.
  const present = target === null ? null : targetFor(connection);
  const fields = target === null || present === null ? (targetEdited ?? []) : changedTargetFields(target, present);
  return `The connection's ${targetFieldLabel(fields)} changed after this credential was delivered. ${way}`;
}

/** Nothing can be delivered to such a connection, and its jobs wait while an agent has a credential for another target. */
function withdrawal(id: string): string {
  return `The connection takes no credential now. Withdraw the credential (DELETE /connections/${id}/credentials), or change the connection back.`;
}
