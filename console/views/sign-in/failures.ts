import type { SignInFailure } from "../../../schema/contract/people.ts";

const PARAMETER = "signIn";

const MESSAGES: Readonly<Record<SignInFailure, string>> = {
  "not-begun": "That sign-in was not begun in this browser, or it took longer than ten minutes. Begin again.",
  refused:
    "The sign-in was refused or broken off at your organisation's sign-in. Begin again, or ask its administrator.",
  "issuer-away": "Your organisation's sign-in does not answer. Try again in a moment.",
  "bad-answer":
    "Your organisation's sign-in gave an answer that does not hold. Begin again; if this comes back, an administrator finds the reason in the service's log.",
  disabled: "Your account is disabled here. Ask an administrator of this deployment.",
  "no-role":
    "Your organisation's sign-in gives you none of the roles of this deployment. Ask an administrator for one.",
  "no-email":
    "Your organisation's sign-in does not tell your e-mail, so nobody here is known by it. Ask its administrator.",
  "unverified-email":
    "Your organisation's sign-in does not say that your e-mail is verified. Verify it there, or ask its administrator.",
  "other-account":
    "Your e-mail belongs to a user here who has another account at your organisation's sign-in. An administrator can delete that user.",
  "not-private": "Signing in needs https: open this page by its https address.",
  "not-set-up": "Signing in with your organisation is not set up here. Use your e-mail and password.",
  failed: "That sign-in could not be finished. Begin again in a moment.",
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
