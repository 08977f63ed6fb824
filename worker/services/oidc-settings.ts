import type { Role } from "../../schema/contract/people.ts";
import type { ServiceReader } from "../../schema/settings/service.ts";

/** OIDC as the environment sets it up (schema/settings/service.ts). */
export interface OidcSettings {
  /** Exactly as the tokens' `iss` has it. */
  issuer: string;
  /** What a bearer token's `aud` must contain; null accepts no bearer tokens. */
  audience: string | null;
  /** Who this deployment is to the issuer; absent when people cannot sign in with it. */
  client?: { id: string; secret: string | null };
  /** The claim in which the issuer decides roles; null when administrators do, here. */
  roleClaim: string | null;
  defaultRole: Role | null;
  trustsEmail: boolean;
}

/** Null without an issuer. */
export function oidcSettings({ read, text }: ServiceReader, problems: string[]): OidcSettings | null {
  const [issuer, id, given] = [read("OIDC_ISSUER"), read("OIDC_CLIENT_ID"), read("OIDC_AUDIENCE")];
  const rest = {
    roleClaim: read("OIDC_ROLE_CLAIM"),
    defaultRole: read("OIDC_DEFAULT_ROLE"),
    trustsEmail: read("OIDC_TRUST_EMAIL"),
  };
  const audience = given ?? id;
  if (text("OIDC_ISSUER") !== null && audience === null) {
    problems.push("OIDC_ISSUER needs OIDC_CLIENT_ID, for sign-in, or OIDC_AUDIENCE, for bearer tokens");
  }
  if (issuer === null) return null;
  return { issuer, audience, ...(id === null ? {} : { client: { id, secret: read("OIDC_CLIENT_SECRET") } }), ...rest };
}

/** Whether people can sign in with it, in a browser. */
export function canSignInByOidc({ oidc }: { oidc: OidcSettings | null }): boolean {
  return oidc?.client !== undefined;
}

/** Whether somebody without a password can be who administers: by signing in, or with the issuer's bearer tokens. */
export function signInWays({ oidc }: { oidc: OidcSettings | null }): { oidc: boolean } {
  return { oidc: oidc !== null };
}
