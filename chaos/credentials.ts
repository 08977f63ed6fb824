import { z } from "zod";
import { recipientSchema } from "../schema/contract/credential.ts";
import type { AgentCredential } from "../schema/contract/credential.ts";
import { connectionSchema } from "../schema/contract/management.ts";
import { sealTo } from "../schema/contract/sealing.ts";
import type { Admin } from "./admin.ts";

/** By connection id: the credential for its agents, and the key to which each agent's was last sealed. */
export type Credentials = ReadonlyMap<string, Credential>;
export interface Credential {
  secrets: Record<string, string>;
  /** By agent id; `at` is of `performance.now()`. */
  sealedTo: Map<string, { fingerprint: string; at: number }>;
}

/** The time for a delivery in progress: a repeated delivery waits behind all other work again. */
const UNDER_WAY_MS = 20_000;

/**
 * Seals each credential to those agents of its connection that lack it, as `npm run deliver` does. Returns how many
 * lack it.
 */
export async function deliverMissing(admin: Admin, credentials: Credentials): Promise<number> {
  let missing = 0;
  for (const [connectionId, { secrets, sealedTo }] of credentials) {
    const path = `/connections/${connectionId}`;
    const { credentials: known } = await admin.call("GET", path, undefined, connectionSchema);
    const recipients = await admin.call("GET", `${path}/recipients`, undefined, z.array(recipientSchema));
    const lacking = recipients.filter(({ agentId }) => statusOf(known, agentId)?.status !== "delivered");
    missing += lacking.length;
    // A delivery that succeeded, or was taken back by a move, is repeated immediately when the credential is missing
    // again.
    const waiting = new Set(lacking.map(({ agentId }) => agentId));
    for (const agentId of sealedTo.keys()) if (!waiting.has(agentId)) sealedTo.delete(agentId);
    const due = lacking.filter(({ agentId, fingerprint }) => {
      const last = sealedTo.get(agentId);
      return last?.fingerprint !== fingerprint || performance.now() - last.at > UNDER_WAY_MS;
    });
    if (due.length === 0) continue;
    for (const { agentId, fingerprint } of due) sealedTo.set(agentId, { fingerprint, at: performance.now() });
    const sealed = await Promise.all(due.map((recipient) => sealTo(recipient, connectionId, secrets)));
    // The agent may have the credential or another key by now: the next round checks again.
    await admin.call("POST", `${path}/credentials`, { sealed }, z.unknown()).catch(() => sealedTo.clear());
  }
  return missing;
}

function statusOf(known: readonly AgentCredential[], agentId: string): AgentCredential | undefined {
  return known.find((one) => one.agentId === agentId);
}
