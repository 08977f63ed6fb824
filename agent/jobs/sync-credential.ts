import { z } from "zod";
import type { Job } from "../../schema/contract/agent.ts";
import { writtenTargetSchema } from "../../schema/contract/credential-target.ts";
import { problemWithSecretsFor } from "../../schema/contract/secret-shapes.ts";
import type { ExecutorOutcome } from "../executors/executor.ts";
import { describeError } from "../log.ts";
import type { PrivateKey } from "../vault/crypto.ts";
import { openSealed } from "../vault/open-sealed.ts";
import { SecretsUnusable, TargetUnresolved } from "../vault/resolve-target.ts";
import type { CredentialContent } from "../vault/resolve-target.ts";
import type { HeldCredential } from "../vault/versions.ts";

export interface SyncDeps {
  vault: {
    privateKey: PrivateKey | null;
    deliver(connectionId: string, content: CredentialContent, version: number): Promise<HeldCredential>;
    withdraw(connectionId: string, version: number): Promise<HeldCredential>;
  };
  /** The id that the service gave this agent when it registered. */
  agentId: string | null;
}

const paramsSchema = z.discriminatedUnion("state", [
  z.object({
    state: z.literal("present"),
    version: z.int().min(1),
    jwe: z.string().min(1),
  }),
  z.object({ state: z.literal("absent"), version: z.int().min(0) }),
]);

/**
 * Brings one credential of the vault to the state that the service wants (docs/design/credentials.md#wanted-state,
 * docs/design/credentials.md#versions), and says in its output `{state, version}` what the vault holds. Codes:
 * `credential_not_for_us`, `credential_unreadable`, `credential_invalid`, `target_unresolved`, `vault_unwritable`,
 * `invalid_params`. No message contains a value, because the masker does not know new values before the vault has them.
 */
export async function syncCredential(job: Job, { vault, agentId }: SyncDeps): Promise<ExecutorOutcome> {
  const { connection } = job;
  if (connection === null)
    return failed("invalid_job", "The job names no connection. Update the agent if it is older than the service.");
  const params = paramsSchema.safeParse(job.params);
  if (!params.success) {
    const name = String(params.error.issues[0]?.path[0] ?? "state");
    return failed(
      "invalid_params",
      `The order to sync a credential has a wrong or missing ${name}. Update the agent if it is older than the service.`,
    );
  }
  if (params.data.state === "absent") {
    const { version } = params.data;
    return store(() => vault.withdraw(connection.id, version));
  }
  if (vault.privateKey === null)
    return failed("internal_error", "The agent's vault is not open. Run bellhop-agent doctor on its machine.");

  const { jwe, version } = params.data;
  const opened = await openSealed(jwe, vault.privateKey);
  if (!opened.ok) return { status: "failed", output: null, error: opened.error };
  const { plaintext } = opened;
  const mismatch = firstMismatch({
    agent: plaintext.agentId === agentId,
    connection: plaintext.connectionId === connection.id,
    version: plaintext.version === version,
    "type of connection": plaintext.target?.every(({ type }) => type === connection.type) !== false,
  });
  if (mismatch !== undefined) {
    return failed(
      "credential_not_for_us",
      `The credential was sealed for another ${mismatch} than the one it was delivered for, so it was refused. ` +
        "Deliver it again; if that does not help, find out what mixes up credentials on their way.",
    );
  }
  const problem = problemWithSecretsFor(plaintext.target ?? [{ type: connection.type }], plaintext.secrets);
  if (problem !== null)
    return failed("credential_invalid", `The credential does not fit: ${problem}. Deliver it again.`);
  const target = writtenTargetSchema.optional().safeParse(plaintext.target);
  if (!target.success) {
    const what = `this agent does not know a target of this form for a connection of type ${connection.type}`;
    return failed("credential_invalid", `The credential does not fit: ${what}. Deliver it again, or update the agent.`);
  }
  // Bound to the target that was sealed with it, even when the connection has changed. Older tools seal no target.
  return store(() => vault.deliver(connection.id, { secrets: plaintext.secrets, target: target.data }, version));
}

function firstMismatch(matches: Readonly<Record<string, boolean>>): string | undefined {
  return Object.keys(matches).find((name) => matches[name] === false);
}

async function store(change: () => Promise<HeldCredential>): Promise<ExecutorOutcome> {
  try {
    return { status: "succeeded", output: { ...(await change()) } };
  } catch (error) {
    if (error instanceof SecretsUnusable) return failed("credential_invalid", `${error.message} It was not stored.`);
    if (error instanceof TargetUnresolved) {
      return failed("target_unresolved", `${error.message} Then deliver the credential again.`);
    }
    return failed(
      "vault_unwritable",
      `The agent cannot write its vault (${describeError(error)}): check the free space and the rights on its machine.`,
    );
  }
}

function failed(code: string, message: string): ExecutorOutcome {
  return { status: "failed", output: null, error: { code, message } };
}
