import { forgetSealedTo } from "../../store/credential-ends.ts";
import type { Deps } from "../deps.ts";
import { mintAgentKey } from "../keys.ts";
import { hashSecret } from "../secret-hash.ts";
import { changeAgent } from "./change-agent.ts";

/** Gives an agent a new key, shown only now. The old one is refused from the next call on (invariant 8). */
export async function regenerateAgentKey(deps: Deps, actor: string, id: string): Promise<{ apiKey: string }> {
  const { prefix, key } = mintAgentKey(deps.settings.secret);
  const keyHash = await hashSecret(key);
  await changeAgent(deps, id, (row) => ({
    // The vault opens with the old key only. At its next start the agent makes a new vault with a new key pair.
    changes: { keyPrefix: prefix, keyHash, publicKey: null, enrolmentDigest: null, enrolmentExpiresAt: null },
    also: [forgetSealedTo(deps.db, id, null, deps.now())],
    audit: { actor, verb: "regenerate-key", detail: { name: row.name } },
  }));
  return { apiKey: key };
}
