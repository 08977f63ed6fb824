import type { SignInFailure } from "../../../schema/contract/people.ts";

const PARAMETER = "signIn";

const MESSAGES: Readonly<Record<SignInFailure, string>> = {
  "not-begun": "That sign-in was not started in this browser, or it took longer than ten minutes. Start again.",
  refused: "Your organisation's sign-in refused or cancelled the sign-in. Start again, or ask its administrator.",
  "issuer-away": "Your organisation's sign-in does not answer. Try again in a moment.",
  "bad-answer":
    "Your organisation's sign-in gave an invalid answer. Start again. If this happens again, an administrator can find the reason in the service's log.",
  disabled: "Your account is disabled. Ask an administrator of this deployment.",
  "no-role": "Your organisation's sign-in does not give you a role in this deployment. Ask an administrator for one.",
  "no-email": "Your organisation's sign-in does not send your email address. Ask its administrator.",
  "unverified-email":
    "Your organisation's sign-in does not confirm your email address. Verify it there, or ask its administrator.",
  "other-account":
    "Your email address belongs to a user with another account at your organisation's sign-in. An administrator can delete that user.",
  "not-private": "Signing in requires https. Open this page by its https URL.",
  "not-set-up": "Signing in with your organisation is not set up here. Use your email and password.",
  failed: "The sign-in could not be completed. Start again in a moment.",
};

/**
 * Why a sign-in with the issuer failed, from the query that the service added; null without a failure. An unknown
 * reason gets a general message and is not shown.
 */
export function failureMessage(search: string): string | null {
  const reason = new URLSearchParams(search).get(PARAMETER);
  if (reason === null) return null;
  return isFailure(reason) ? MESSAGES[reason] : MESSAGES.failed;
}

function isFailure(reason: string): reason is SignInFailure {
  return Object.hasOwn(MESSAGES, reason);
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
