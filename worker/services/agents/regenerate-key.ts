import { forgetSealedTo } from "../../store/credential-ends.ts";
import type { Deps } from "../deps.ts";
import { mintAgentKey } from "../keys.ts";
import { hashSecret } from "../secret-hash.ts";
import { changeAgent } from "./change-agent.ts";

/** Gives an agent another key, shown this once. The old one is refused from the next call on (invariant 8). */
export async function regenerateAgentKey(deps: Deps, actor: string, id: string): Promise<{ apiKey: string }> {
  const { prefix, key } = mintAgentKey(deps.settings.secret);
  const keyHash = await hashSecret(key);
  await changeAgent(deps, id, (row) => ({
    // Its vault opens with the old key only: a new one, with a key pair of its own, comes with its next start.
    changes: { keyPrefix: prefix, keyHash, publicKey: null },
    also: [forgetSealedTo(deps.db, id, null, deps.now())],
    audit: { actor, verb: "regenerate-key", detail: { name: row.name } },
  }));
  return { apiKey: key };
}
