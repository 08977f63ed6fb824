import type { SignInFailure } from "../../../schema/contract/people.ts";
import type { ProblemCode } from "../../../schema/contract/problem.ts";
import { ProblemError } from "../problem.ts";

/** Thrown when the issuer or a token's claims let no one sign in. The console has the text for each `reason`. */
export class SignInRefused extends ProblemError {
  readonly reason: SignInFailure;

  constructor(
    code: Extract<ProblemCode, "unauthorized" | "forbidden" | "not_found">,
    reason: SignInFailure,
    detail: string,
    cause?: unknown,
  ) {
    super(code, detail, { cause, ...(code === "unauthorized" ? { headers: { "WWW-Authenticate": "Bearer" } } : {}) });
    this.reason = reason;
  }
}
