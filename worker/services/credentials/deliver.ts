import { takesCredential } from "../../../schema/contract/connection.ts";
import { deliverCredentialsSchema } from "../../../schema/contract/credential.ts";
import type { AgentCredential } from "../../../schema/contract/credential.ts";
import { SEALED_CREDENTIAL_KEEP_MS } from "../../../schema/limits.ts";
import { nextVersion } from "../../domain/credential/usable.ts";
import { findConnection } from "../../store/connections.ts";
import type { ConnectionRow } from "../../store/connections.ts";
import { findRecipients, insertAuditIfRecipient, upsertSealed } from "../../store/credentials.ts";
import type { RecipientRow } from "../../store/credentials.ts";
import { writeBatch } from "../../store/database.ts";
import type { Statement } from "../../store/database.ts";
import { isConflict } from "../../store/errors.ts";
import { keyFingerprint } from "../key-fingerprint.ts";
import { toAuditRow } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { invalidInput, parseInput } from "../parse.ts";
import { ProblemError } from "../problem.ts";
import { retryOnConflict } from "../../actors/kit/retry-on-conflict.ts";
import { agentCredentials } from "./agent-credentials.ts";
import { sealedErrors } from "./check-sealed.ts";
import { orderSyncs } from "./order-syncs.ts";

type Sealed = ReturnType<typeof parseDelivery>["sealed"][number];

/**
 * Stores a credential, sealed for each agent separately, and orders its delivery. The ciphertext is kept until the
 * agent acknowledges it, for 24 hours at most (docs/design/credentials.md#delivery-states). It replaces one that still
 * waits. Returns the status of every agent of the connection.
 */
export async function deliverCredentials(
  deps: Deps,
  actor: string,
  connectionId: string,
  input: unknown,
): Promise<AgentCredential[]> {
  const { sealed } = parseDelivery(input);
  const connection = await retryOnConflict("This credential", async () => {
    const found = await requireTakesSecrets(deps, connectionId);
    const recipients = await findRecipients(deps.db, connectionId);
    const errors = sealedErrors(sealed, recipients);
    if (errors.length > 0) throw invalidInput(errors);
    try {
      await writeBatch(
        deps.db,
        sealed.flatMap((one) => statementsFor(deps, { actor, connection: found, sealed: one, recipients })),
      );
      return found;
    } catch (error) {
      if (isConflict(error) && sealed.some(({ version }) => version !== undefined)) throw overtaken();
      throw error;
    }
  });
  await orderSyncs(
    deps,
    sealed.map(({ agentId }) => agentId),
  );
  return agentCredentials(connection, await findRecipients(deps.db, connectionId));
}

function parseDelivery(input: unknown) {
  return parseInput(deliverCredentialsSchema, input);
}

async function requireTakesSecrets(deps: Deps, connectionId: string): Promise<ConnectionRow> {
  const connection = await findConnection(deps.db, connectionId);
  if (connection === null) throw notFound("connection", connectionId);
  if (takesCredential(connection.type)) return connection;
  throw new ProblemError(
    "conflict",
    `A connection of type ${connection.type} has no credential: there is nothing to deliver.`,
  );
}

interface Delivery {
  actor: string;
  connection: ConnectionRow;
  sealed: Sealed;
  recipients: readonly RecipientRow[];
}

function statementsFor(deps: Deps, { actor, connection, sealed, recipients }: Delivery): Statement[] {
  const { agentId, jwe, version } = sealed;
  const recipient = recipients.find(({ agent }) => agent.id === agentId);
  const publicKey = recipient?.agent.publicKey ?? null;
  if (recipient === undefined || publicKey === null) return [];
  const next = nextVersion(connection, recipient.credential);
  // Sealed under another version than the next one: the agent would refuse it.
  if (version !== undefined && version !== next) throw overtaken();
  const now = deps.now();
  const fingerprint = keyFingerprint(publicKey);
  return [
    upsertSealed(deps.db, recipient.credential?.version ?? 0, {
      connectionId: connection.id,
      agentId,
      type: connection.type,
      version: next,
      fingerprint,
      jwe,
      jweExpiresAt: now + SEALED_CREDENTIAL_KEEP_MS,
      updatedAt: now,
    }),
    insertAuditIfRecipient(
      deps.db,
      toAuditRow(deps, {
        actor,
        verb: "deliver-credential",
        subjectType: "connection",
        subjectId: connection.id,
        detail: { name: connection.name, agentId, version: next, fingerprint },
      }),
      { connectionId: connection.id, agentId },
    ),
  ];
}

function overtaken(): ProblemError {
  return new ProblemError(
    "conflict",
    "The credential's version has changed since you asked for the recipients: the credential was delivered (perhaps by your own request, if its answer was lost) or withdrawn, or the connection's target was edited. Check the connection. To deliver again, ask for the recipients again.",
  );
}
