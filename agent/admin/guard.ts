import type { ProblemCode } from "../../schema/contract/problem.ts";
import { ADMIN_REQUESTS_PER_MINUTE } from "../../schema/limits.ts";
import { isSame, PROOF_PATH } from "./proof.ts";

const MINUTE_MS = 60_000;
/** Any port is right: a person may forward one. A name that an attacker can resolve to this machine must not pass. */
const OWN_HOST = /^(127\.0\.0\.1|localhost)(:\d{1,5})?$/iu;

export interface Refusal {
  code: ProblemCode;
  detail: string;
  /** Whole seconds, for 429. */
  retryAfterSeconds?: number;
}

export interface AdminGuard {
  /** Null when the request may pass. `proof` is the answer to its challenge; null without a valid challenge. */
  check(request: Request, proof: string | null): Refusal | null;
}

/** The checks of every request, in this order (docs/design/agent-protocol.md#admin-api). */
export function createAdminGuard({ token, monotonicMs }: { token: string; monotonicMs: () => number }): AdminGuard {
  const passed: number[] = [];
  // Wrong tokens have their own count: any user of this machine can send them, and must not lock out the holder of the
  // right one.
  const refused: number[] = [];
  return {
    check(request, proof) {
      // A web page in a browser on this machine can send requests here. Its Host or Origin reveals it, and its requests
      // do not count against the limit.
      if (!OWN_HOST.test(request.headers.get("Host") ?? "")) {
        return { code: "forbidden", detail: "The Host header must name 127.0.0.1 or localhost." };
      }
      if (request.headers.has("Origin")) {
        return {
          code: "forbidden",
          detail: "The admin API refuses requests from web pages. Call it from a program on this machine.",
        };
      }
      const isProof = new URL(request.url).pathname === PROOF_PATH;
      // Not counted: the request that follows on the same connection is.
      if (isProof && proof !== null) return null;
      const authorized = !isProof && isAuthorized(request.headers.get("Authorization"), token);
      const wait = waitSeconds(authorized ? passed : refused, monotonicMs());
      if (wait > 0) {
        return {
          code: "rate_limit_exceeded",
          detail: `The admin API accepts ${ADMIN_REQUESTS_PER_MINUTE} requests a minute. Try again in ${wait} s.`,
          retryAfterSeconds: wait,
        };
      }
      if (isProof) {
        return { code: "forbidden", detail: "The proof was not made with this agent's admin token." };
      }
      if (!authorized) {
        return { code: "unauthorized", detail: "Send the admin token: Authorization: Bearer <ADMIN_TOKEN>." };
      }
      return null;
    },
  };
}

/** Counts a request in the sliding minute. Above the limit it counts nothing and returns the seconds to wait. */
function waitSeconds(passed: number[], now: number): number {
  while (passed[0] !== undefined && now - passed[0] >= MINUTE_MS) passed.shift();
  const oldest = passed[0];
  if (oldest !== undefined && passed.length >= ADMIN_REQUESTS_PER_MINUTE) {
    return Math.max(1, Math.ceil((oldest + MINUTE_MS - now) / 1_000));
  }
  passed.push(now);
  return 0;
}

function isAuthorized(header: string | null, expected: string): boolean {
  const token = /^Bearer +(\S+)$/iu.exec(header ?? "")?.[1];
  return token !== undefined && isSame(token, expected);
}
