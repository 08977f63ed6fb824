import { z } from "zod";
import { recipientSchema } from "../schema/contract/credential.ts";
import type { AgentCredential } from "../schema/contract/credential.ts";
import { connectionSchema } from "../schema/contract/management.ts";
import { sealTo } from "../schema/contract/sealing.ts";
import type { Admin } from "./admin.ts";

/** By connection id, what its agents are to hold, and to which key each agent's was sealed last. */
export type Credentials = ReadonlyMap<string, Credential>;
export interface Credential {
  secrets: Record<string, string>;
  /** By agent id, with when (`performance.now()`). */
  sealedTo: Map<string, { fingerprint: string; at: number }>;
}

/** A delivery that is under way is given this long: one that comes anew waits behind all other work again. */
const UNDER_WAY_MS = 20_000;

/**
 * Seals each credential to those agents of its connection that have not got it, as `npm run deliver` does. Gives how
 * many have not.
 */
export async function deliverMissing(admin: Admin, credentials: Credentials): Promise<number> {
  let missing = 0;
  for (const [connectionId, { secrets, sealedTo }] of credentials) {
    const path = `/connections/${connectionId}`;
    const { credentials: known } = await admin.call("GET", path, undefined, connectionSchema);
    const recipients = await admin.call("GET", `${path}/recipients`, undefined, z.array(recipientSchema));
    const lacking = recipients.filter(({ agentId }) => statusOf(known, agentId)?.status !== "delivered");
    missing += lacking.length;
    // What was delivered, or taken back by a move, is delivered anew at once when it is missing again.
    const waiting = new Set(lacking.map(({ agentId }) => agentId));
    for (const agentId of sealedTo.keys()) if (!waiting.has(agentId)) sealedTo.delete(agentId);
    const due = lacking.filter(({ agentId, fingerprint }) => {
      const last = sealedTo.get(agentId);
      return last?.fingerprint !== fingerprint || performance.now() - last.at > UNDER_WAY_MS;
    });
    if (due.length === 0) continue;
    for (const { agentId, fingerprint } of due) sealedTo.set(agentId, { fingerprint, at: performance.now() });
    const sealed = await Promise.all(due.map((recipient) => sealTo(recipient, connectionId, secrets)));
    // An agent may have taken it since, or have another key by now: the next round looks again.
    await admin.call("POST", `${path}/credentials`, { sealed }, z.unknown()).catch(() => sealedTo.clear());
  }
  return missing;
}

function statusOf(known: readonly AgentCredential[], agentId: string): AgentCredential | undefined {
  return known.find((one) => one.agentId === agentId);
}
