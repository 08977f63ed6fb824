import type { SignInFailure } from "../../../schema/contract/people.ts";
import type { Deps } from "../deps.ts";
import { ProblemError } from "../problem.ts";
import { databaseProblem } from "../unavailable.ts";
import { openFlow } from "./flow.ts";
import { isLocalPath } from "./local-path.ts";
import { SignInRefused } from "./sign-in-refused.ts";

/**
 * A browser's destination after a failed sign-in: the page that the person wanted, which shows the sign-in with the
 * reason. The reason is one of a fixed set, never text from outside. Null for an internal error.
 */
export function backToSignIn(
  deps: Deps,
  asked: { cookie: string | null; returnTo: string | undefined },
  error: unknown,
): { location: string; reason: SignInFailure } | null {
  const reason = reasonOf(error);
  if (reason === null) return null;
  const flow = asked.cookie === null ? null : openFlow(deps.settings.secret, asked.cookie, deps.now());
  const returnTo = asked.returnTo ?? flow?.returnTo ?? "/";
  return { location: withReason(isLocalPath(returnTo) ? returnTo : "/", reason), reason };
}

function reasonOf(error: unknown): SignInFailure | null {
  if (error instanceof SignInRefused) return error.reason;
  if (!(error instanceof ProblemError)) return databaseProblem(error) === null ? null : "failed";
  if (error.code === "unavailable") return "issuer-away";
  return error.code === "forbidden" ? "not-private" : "failed";
}

function withReason(path: string, reason: SignInFailure): string {
  const hash = path.indexOf("#");
  const before = hash < 0 ? path : path.slice(0, hash);
  return `${before}${before.includes("?") ? "&" : "?"}signIn=${reason}${path.slice(before.length)}`;
}
