import type { Role } from "../../schema/contract/people.ts";
import type { ServiceReader } from "../../schema/settings/service.ts";

/** The OIDC settings of the environment (schema/settings/service.ts). */
export interface OidcSettings {
  /** Exactly as in the tokens' `iss`. */
  issuer: string;
  /** Required in a bearer token's `aud`; null accepts no bearer tokens. */
  audience: string | null;
  /** This deployment's client at the issuer; absent when people cannot sign in with OIDC. */
  client?: { id: string; secret: string | null };
  /** The claim with the role that the issuer assigns; null when administrators assign roles here. */
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

/** Whether people can sign in with OIDC in a browser. */
export function canSignInByOidc({ oidc }: { oidc: OidcSettings | null }): boolean {
  return oidc?.client !== undefined;
}

/** Whether an administrator can do without a password, by OIDC sign-in or the issuer's bearer tokens. */
export function signInWays({ oidc }: { oidc: OidcSettings | null }): { oidc: boolean } {
  return { oidc: oidc !== null };
}
