import { rolePermissions } from "../../domain/token-permissions.ts";
import type { Deps } from "../deps.ts";
import { userActor } from "../principal.ts";
import type { Principal } from "../principal.ts";
import { findPerson } from "./find-person.ts";
import { verifyToken } from "./verify-token.ts";

const JWT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/u;
const JWT_MAX_CHARS = 16_384;

/**
 * The person of a bearer token that is a JWT of the OIDC issuer. Null for a token that is not a JWT, and without an
 * issuer; throws `unauthorized` or `forbidden` with the reason for a refused one.
 */
export async function authenticateJwt(deps: Deps, token: string): Promise<Principal | null> {
  const settings = deps.settings.oidc;
  if (settings === null || settings.audience === null) return null;
  if (token.length > JWT_MAX_CHARS || !JWT.test(token)) return null;
  const claims = await verifyToken(deps, token, { issuer: settings.issuer, audience: settings.audience });
  // Without `iat` the token's age is unknown; it then changes no known role.
  const user = await findPerson(deps, settings, claims, (claims.iat ?? 0) * 1_000);
  return {
    kind: "oidc",
    userId: user.id,
    actor: userActor(user.email),
    role: user.role,
    permissions: rolePermissions(user.role),
    expiresAt: claims.exp * 1_000,
  };
}
