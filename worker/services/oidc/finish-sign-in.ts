import { createHash, timingSafeEqual } from "node:crypto";
import { oidcCallbackQuerySchema } from "../../../schema/contract/people.ts";
import type { SignInFailure } from "../../../schema/contract/people.ts";
import type { Deps } from "../deps.ts";
import { parseInput } from "../parse.ts";
import { ProblemError } from "../problem.ts";
import { startSession } from "../sessions/index.ts";
import type { StartedSession } from "../sessions/index.ts";
import { exchangeCode } from "./exchange-code.ts";
import { findPerson } from "./find-person.ts";
import { openFlow } from "./flow.ts";
import { issuerOf } from "./issuer.ts";
import { signInSettings } from "./sign-in-settings.ts";
import { SignInRefused } from "./sign-in-refused.ts";
import { verifyToken } from "./verify-token.ts";

const SHOWN_ERROR = /^[a-z_]{1,64}$/u;

/** Ends a sign-in: exchanges the code, checks the ID token (OpenID Connect Core, 3.1.3.7), starts the session. */
export async function finishSignIn(
  deps: Deps,
  came: { redirectUri: string; cookie: string | null; address: string | null; query: unknown },
): Promise<StartedSession & { returnTo: string }> {
  const settings = signInSettings(deps.settings);
  const query = parseInput(oidcCallbackQuerySchema, came.query);
  const flow = came.cookie === null ? null : openFlow(deps.settings.secret, came.cookie, deps.now());
  if (flow === null || query.state === undefined || !isSame(query.state, flow.state)) {
    throw refused("not-begun", "This sign-in was not begun in this browser, or took too long. Sign in again.");
  }
  if (query.iss !== undefined && query.iss !== settings.issuer)
    throw refused("bad-answer", "Another issuer answered. Sign in again.");
  if (query.error !== undefined) {
    const code = SHOWN_ERROR.test(query.error) ? query.error : "an error";
    throw refused("refused", `The issuer refused the sign-in with ${code}. Sign in again, or ask its administrator.`);
  }
  if (query.code === undefined) throw refused("bad-answer", "The issuer sent no code. Sign in again.");
  const metadata = await issuerOf(settings.issuer).metadata(deps.now());
  const idToken = await exchangeCode(metadata, settings.client, {
    code: query.code,
    verifier: flow.verifier,
    redirectUri: came.redirectUri,
  });
  const claims = await verifyToken(deps, idToken, { issuer: settings.issuer, audience: settings.client.id });
  if (claims.nonce === undefined || !isSame(claims.nonce, flow.nonce)) {
    throw refused("bad-answer", "The issuer's answer belongs to another sign-in. Sign in again.");
  }
  if (claims.azp !== undefined && claims.azp !== settings.client.id) {
    throw refused("bad-answer", "The issuer's answer is for another client. Sign in again.");
  }
  const user = await findPerson(deps, settings, claims, deps.now());
  const started = await startSession(deps, user, { method: "oidc", address: came.address });
  if (started === null)
    throw new ProblemError("conflict", "Your account was changed during the sign-in. Sign in again.");
  return { ...started, returnTo: flow.returnTo };
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function refused(reason: SignInFailure, detail: string): SignInRefused {
  return new SignInRefused("unauthorized", reason, detail);
}
