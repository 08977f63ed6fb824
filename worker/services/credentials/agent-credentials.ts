import type { AgentCredential } from "../../../schema/contract/credential.ts";
import type { CredentialRecord } from "../../store/credentials.ts";

const NEVER_REGISTERED = "The agent has no key yet: start it with its key, so that it registers; then deliver.";

/** How far each of a connection's agents is; one that nothing was delivered to is pending (design 6). */
export function agentCredentials(
  recipients: readonly { agent: { id: string; publicKey: unknown }; credential: CredentialRecord | null }[],
): AgentCredential[] {
  return recipients.map(({ agent, credential }) => {
    if (credential === null || credential.state === "absent") {
      const error = agent.publicKey === null ? NEVER_REGISTERED : null;
      return { agentId: agent.id, status: "pending", version: 0, error, updatedAt: null };
    }
    const { status, version, error, updatedAt } = credential;
    return { agentId: agent.id, status, version, error, updatedAt: new Date(updatedAt).toISOString() };
  });
}
