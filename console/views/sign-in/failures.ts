import type { SignInFailure } from "../../../schema/contract/people.ts";
import { signIn as text } from "../../strings/en/sign-in.ts";

const PARAMETER = "signIn";

/**
 * Why a sign-in with the issuer failed, from the query that the service added; null without a failure. An unknown
 * reason gets a general message and is not shown.
 */
export function failureMessage(search: string): string | null {
  const reason = new URLSearchParams(search).get(PARAMETER);
  if (reason === null) return null;
  return isFailure(reason) ? text.failures[reason] : text.failures.failed;
}

function isFailure(reason: string): reason is SignInFailure {
  return Object.hasOwn(text.failures, reason);
}

/** The page's URL without the reason, to show and to return to. Other parameters stay. */
export function withoutFailure({ pathname, search, hash }: Pick<Location, "pathname" | "search" | "hash">): string {
  const kept = search
    .replace(/^\?/u, "")
    .split("&")
    .filter((part) => part !== "" && part.split("=", 1)[0] !== PARAMETER);
  return `${pathname}${kept.length === 0 ? "" : `?${kept.join("&")}`}${hash}`;
}

const RETURN_TO_MAX_CHARS = 1_024;

/** The URL that starts a sign-in with the issuer and returns to `returnTo`. */
export function issuerAddress(returnTo: string): string {
  const path = returnTo.length > RETURN_TO_MAX_CHARS ? "/" : returnTo;
  return `/api/v1/auth/oidc/start?returnTo=${encodeURIComponent(path)}`;
}
