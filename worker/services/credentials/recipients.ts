import { publicKeySchema } from "../../../schema/contract/agent.ts";
import type { CredentialTarget } from "../../../schema/contract/credential-target.ts";
import type { Recipient } from "../../../schema/contract/credential.ts";
import { nextVersion } from "../../domain/credential/usable.ts";
import { findConnection } from "../../store/connections.ts";
import type { ConnectionRow } from "../../store/connections.ts";
import { findRecipients } from "../../store/credentials.ts";
import { keyFingerprint } from "../key-fingerprint.ts";
import { fingerprintVerified } from "../fingerprint-verified.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { ProblemError } from "../problem.ts";
import { targetFor } from "./wanted-credential.ts";

/** The agents to seal a connection's credential to: its agent, or the registered agents of its pool. */
export async function listRecipients(deps: Deps, connectionId: string): Promise<Recipient[]> {
  const connection = await findConnection(deps.db, connectionId);
  if (connection === null) throw notFound("connection", connectionId);
  const target = requireTarget(connection);
  const rows = await findRecipients(deps.db, connectionId);
  return rows.flatMap(({ agent, credential }): Recipient[] => {
    // An agent has no key before its first registration, and after its API key was regenerated.
    const publicKey = publicKeySchema.safeParse(agent.publicKey).data;
    if (publicKey === undefined) return [];
    const version = nextVersion(connection, credential);
    return [
      {
        agentId: agent.id,
        name: agent.name,
        publicKey,
        fingerprint: keyFingerprint(publicKey),
        ...fingerprintVerified(agent),
        version,
        target,
      },
    ];
  });
}

function requireTarget(connection: ConnectionRow): CredentialTarget {
  const target = targetFor(connection);
  if (target !== null) return target;
  throw new ProblemError(
    "conflict",
    "The connection's configuration is no longer valid, so the target of its credential is unknown. Edit the connection first.",
  );
}
