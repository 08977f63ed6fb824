import { tokenPermissions } from "../../domain/token-permissions.ts";
import { findApiTokenByDigest, noteApiTokenUse } from "../../store/api-tokens.ts";
import type { Deps } from "../deps.ts";
import { checkApiToken } from "../keys.ts";
import { logWarning } from "../log.ts";
import { tokenActor } from "../principal.ts";
import type { Principal } from "../principal.ts";
import { tokenDigest } from "./digest.ts";

const NOTED_EVERY_MS = 60_000;

/**
 * Whose API token this is; null when it is not ours, was deleted, has expired, or its owner is disabled or gone.
 * `afterwards` notes the use, at most once a minute: for when the answer is made, and nobody has to wait for it.
 */
export async function authenticateToken(
  deps: Deps,
  secret: string,
): Promise<{ principal: Principal; afterwards: (() => Promise<void>) | null } | null> {
  if (!checkApiToken(deps.settings.secret, secret)) return null;
  const found = await findApiTokenByDigest(deps.db, tokenDigest(secret));
  if (found === null) return null;
  const { token, owner } = found;
  const now = deps.now();
  if (token.expiresAt !== null && token.expiresAt <= now) return null;
  if (token.userId !== null && owner?.enabled !== true) return null;
  const principal: Principal = {
    kind: "token",
    userId: token.userId,
    actor: tokenActor(token.name, owner?.email ?? null),
    role: owner?.role ?? null,
    permissions: tokenPermissions(token.permissions, owner?.role ?? null),
    credentialId: token.id,
    expiresAt: token.expiresAt,
  };
  const isNoted = token.lastUsedAt !== null && token.lastUsedAt > now - NOTED_EVERY_MS;
  return { principal, afterwards: isNoted ? null : () => noteUse(deps, token.id) };
}

/** Never fails: nobody waits for it. */
async function noteUse(deps: Deps, id: string): Promise<void> {
  const now = deps.now();
  try {
    await noteApiTokenUse(deps.db, id, now, now - NOTED_EVERY_MS);
  } catch (error) {
    logWarning("a token's use was not noted", { tokenId: id, error: String(error) });
  }
}
