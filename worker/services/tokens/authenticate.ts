import { tokenPermissions } from "../../domain/token-permissions.ts";
import { findApiTokenByDigest, noteApiTokenUse } from "../../store/api-tokens.ts";
import type { Deps } from "../deps.ts";
import { checkApiToken } from "../keys.ts";
import { logWarning } from "../log.ts";
import { tokenActor } from "../principal.ts";
import type { Principal } from "../principal.ts";
import { secretDigest } from "../secret-digest.ts";
import { failureMessage } from "../../store/errors.ts";

const NOTED_EVERY_MS = 60_000;

/**
 * The holder of an API token; null for a forged, deleted or expired token, or a disabled or deleted owner. `afterwards`
 * records the use, at most once a minute; call it after the answer, so that no one waits for it.
 */
export async function authenticateToken(
  deps: Deps,
  secret: string,
): Promise<{ principal: Principal; afterwards: (() => Promise<void>) | null } | null> {
  if (!checkApiToken(deps.settings.secret, secret)) return null;
  const found = await findApiTokenByDigest(deps.db, secretDigest(secret));
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

/** Never throws: no one awaits it. */
async function noteUse(deps: Deps, id: string): Promise<void> {
  const now = deps.now();
  try {
    await noteApiTokenUse(deps.db, id, now, now - NOTED_EVERY_MS);
  } catch (error) {
    logWarning("a token's use was not noted", { tokenId: id, error: failureMessage(error) });
  }
}
