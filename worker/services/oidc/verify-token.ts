import { errors, jwtVerify } from "jose";
import type { JWTVerifyGetKey } from "jose";
import { z } from "zod";
import type { Deps } from "../deps.ts";
import { issuerOf } from "./issuer.ts";
import type { Issuer } from "./issuer.ts";
import { SignInRefused } from "./sign-in-refused.ts";

/** Only signatures by a private key: `none` proves nothing, and a public key could make an HMAC (RFC 8725, 3.1). */
const ALGORITHMS = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");
const LEEWAY_SECONDS = 60;
/** The same key also signs other tokens, such as logout tokens (RFC 8725, 3.11). */
const TYPES = new Set(["jwt", "at+jwt"]);

const claimsSchema = z.looseObject({
  sub: z.string().min(1).max(255),
  exp: z.number(),
  iat: z.number().optional(),
  nonce: z.string().optional(),
  azp: z.string().optional(),
  email: z.string().optional().catch(undefined),
  // Some issuers send it as text.
  email_verified: z.union([z.boolean(), z.stringbool()]).optional().catch(undefined),
  name: z.string().optional().catch(undefined),
});
export type TokenClaims = z.infer<typeof claimsSchema>;

/**
 * The claims of a valid token that this issuer signed for this audience, with 60 s of clock tolerance. Keys come from
 * the issuer alone, never from the token (`jku`, `jwk`, `x5u`). Throws `unauthorized` with the reason, or `unavailable`
 * when the issuer's keys cannot be read.
 */
export async function verifyToken(
  deps: Deps,
  token: string,
  expected: { issuer: string; audience: string },
): Promise<TokenClaims> {
  const now = deps.now();
  const { payload, protectedHeader } = await jwtVerify(token, keyOf(issuerOf(expected.issuer), now), {
    ...expected,
    algorithms: ALGORITHMS,
    clockTolerance: LEEWAY_SECONDS,
    requiredClaims: ["exp", "sub"],
    currentDate: new Date(now),
  }).catch((error: unknown) => {
    throw refusalOf(error);
  });
  const type = (protectedHeader.typ ?? "JWT").toLowerCase().replace(/^application\//u, "");
  if (!TYPES.has(type)) throw refused(`its type is ${type.slice(0, 40)}, which is not accepted here`);
  const claims = claimsSchema.safeParse(payload);
  if (!claims.success) throw refused("its claims do not have the form of OpenID Connect");
  return claims.data;
}

/** The key that a token names. The issuer may have made it since its keys were read. */
function keyOf({ keys }: Issuer, now: number): JWTVerifyGetKey {
  return async (header, token) => {
    try {
      return await (
        await keys.current(now)
      )(header, token);
    } catch (error) {
      const newKeys = error instanceof errors.JWKSNoMatchingKey ? await keys.searchAgain(now) : null;
      if (newKeys === null) throw error;
      return newKeys(header, token);
    }
  };
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof errors.JOSEError)) return error;
  if (error instanceof errors.JWTExpired) return refused("it has expired. Get a new one from the issuer", error);
  if (error instanceof errors.JWTClaimValidationFailed) {
    return refused(CLAIM_REASONS[error.claim] ?? `its claim ${error.claim} is missing or wrong`, error);
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return refused("its algorithm is not accepted", error);
  if (error instanceof errors.JWKSNoMatchingKey) {
    return refused("it names a key that the issuer does not have", error);
  }
  if (error instanceof errors.JWKSMultipleMatchingKeys) return refused("it does not name its key", error);
  return refused("its signature is wrong, or it is not a JWT", error);
}

const CLAIM_REASONS: Readonly<Record<string, string>> = {
  iss: "it is from another issuer",
  aud: "it is for another audience",
  nbf: "it is not valid yet",
};

function refused(why: string, cause?: unknown): SignInRefused {
  return new SignInRefused("unauthorized", "bad-answer", `The OIDC token is refused: ${why}.`, cause);
}
