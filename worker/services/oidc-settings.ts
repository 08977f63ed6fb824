import { isLoopback } from "../../schema/contract/loopback.ts";
import { roleSchema } from "../../schema/contract/people.ts";
import type { Role } from "../../schema/contract/people.ts";
import type { Env } from "../env.ts";

/** OIDC as the environment sets it up (worker/env.ts). */
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

export type OidcEnv = Pick<Env, Extract<keyof Env, `OIDC_${string}`>>;

/** Null without an issuer. What is set wrongly is told by `oidcProblems`, and counts as not set. */
export function oidcSettings(env: OidcEnv): OidcSettings | null {
  const issuer = given(env.OIDC_ISSUER);
  if (issuer === null || !isSafeUrl(issuer)) return null;
  const id = given(env.OIDC_CLIENT_ID);
  return {
    issuer,
    audience: given(env.OIDC_AUDIENCE) ?? id,
    ...(id === null ? {} : { client: { id, secret: given(env.OIDC_CLIENT_SECRET) } }),
    roleClaim: given(env.OIDC_ROLE_CLAIM),
    defaultRole: roleSchema.safeParse(env.OIDC_DEFAULT_ROLE).data ?? null,
    trustsEmail: env.OIDC_TRUST_EMAIL === "true",
  };
}

/** Whether people can sign in with it, in a browser. */
export function canSignInByOidc(env: OidcEnv): boolean {
  return oidcSettings(env)?.client !== undefined;
}

/** Whether somebody without a password can be who administers: by signing in, or with the issuer's bearer tokens. */
export function signInWays(env: OidcEnv): { oidc: boolean } {
  return { oidc: oidcSettings(env) !== null };
}

/** What is wrong with the OIDC settings, in words; empty when there are none. */
export function oidcProblems(env: OidcEnv): string[] {
  const problems: string[] = [];
  const issuer = given(env.OIDC_ISSUER);
  if (issuer !== null && !isSafeUrl(issuer)) {
    problems.push("OIDC_ISSUER must be an https:// address, as the issuer's own tokens spell it.");
  }
  if (issuer !== null && given(env.OIDC_AUDIENCE) === null && given(env.OIDC_CLIENT_ID) === null) {
    problems.push("OIDC_ISSUER needs OIDC_CLIENT_ID, for sign-in, or OIDC_AUDIENCE, for bearer tokens.");
  }
  const role = given(env.OIDC_DEFAULT_ROLE);
  if (role !== null && !roleSchema.safeParse(role).success) {
    problems.push(`OIDC_DEFAULT_ROLE must be one of ${roleSchema.options.join(", ")}.`);
  }
  return problems;
}

/** Whether an issuer may be asked there: over https, or on this machine, where its tests run. */
export function isSafeUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

function given(value: string | undefined): string | null {
  return value === undefined || value === "" ? null : value;
}
