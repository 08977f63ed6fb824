import type { ProblemCode } from "../../schema/contract/problem.ts";
import { ADMIN_REQUESTS_PER_MINUTE } from "../../schema/limits.ts";
import { isSame, PROOF_PATH } from "./proof.ts";

const MINUTE_MS = 60_000;
/** Any port: someone may forward one. A name that an attacker could make resolve to this machine is what must not pass. */
const OWN_HOST = /^(127\.0\.0\.1|localhost)(:\d{1,5})?$/iu;

export interface Refusal {
  code: ProblemCode;
  detail: string;
  /** Whole seconds, for 429. */
  retryAfterSeconds?: number;
}

export interface AdminGuard {
  /** Null when the request may pass. `proof` is the agent's answer to its challenge, if it has a right one. */
  check(request: Request, proof: string | null): Refusal | null;
}

/** Who may call the admin API at all (docs/design/agent-protocol.md#admin-api): in this order. */
export function createAdminGuard({ token, monotonicMs }: { token: string; monotonicMs: () => number }): AdminGuard {
  const passed: number[] = [];
  // Counted apart: any user of this machine can send wrong tokens, and must not lock out who has the right one.
  const refused: number[] = [];
  return {
    check(request, proof) {
      // A web page that someone on this machine has open can send requests here. Its Host or its Origin gives it away,
      // and it does not use up the limit of those who may call.
      if (!OWN_HOST.test(request.headers.get("Host") ?? "")) {
        return { code: "forbidden", detail: "The Host header must name 127.0.0.1 or localhost." };
      }
      if (request.headers.has("Origin")) {
        return { code: "forbidden", detail: "The admin API takes no requests from web pages." };
      }
      const isProof = new URL(request.url).pathname === PROOF_PATH;
      // Not counted: the request that follows it on its connection is.
      if (isProof && proof !== null) return null;
      const authorized = !isProof && isAuthorized(request.headers.get("Authorization"), token);
      const wait = waitSeconds(authorized ? passed : refused, monotonicMs());
      if (wait > 0) {
        return {
          code: "rate_limit_exceeded",
          detail: `The admin API takes ${ADMIN_REQUESTS_PER_MINUTE} requests a minute: try again in ${wait} s.`,
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

/** Counts a request into the sliding minute; beyond the limit it counts nothing and says how long to wait. */
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
