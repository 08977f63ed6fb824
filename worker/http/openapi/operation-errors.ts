import type { Operation } from "../../../schema/contract/operation.ts";
import { PROBLEM_STATUS } from "../../../schema/contract/problem.ts";
import type { ProblemCode } from "../../../schema/contract/problem.ts";

/** Every error code that an operation can answer with, by status: those that follow from its parts, and its own. */
export function operationErrors(operation: Operation): ProblemCode[] {
  const { access, query, body, idempotent, etag, method, errors = [] } = operation;
  const changes = etag === true && method !== "GET";
  const codes: ProblemCode[] = [
    // Unknown query parameters are refused, except by `public` operations, which ignore them.
    ...when(access !== "public" || query !== undefined || body !== undefined, ["invalid_request"]),
    ...when(access !== "public", ["unauthorized"]),
    // A write by cookie from another site is refused, even with the permission (docs/design/people.md#sessions).
    ...when(access !== "public" && (access !== "anyone" || method !== "GET"), ["forbidden"]),
    ...when(idempotent !== undefined, ["conflict"]),
    ...when(changes, ["precondition_failed"]),
    ...when(body !== undefined, ["request_timeout", "payload_too_large", "unsupported_media_type"]),
    "internal_error",
    "unavailable",
    ...errors,
  ];
  return [...new Set(codes)].sort((a, b) => PROBLEM_STATUS[a] - PROBLEM_STATUS[b] || (a < b ? -1 : 1));
}

function when(condition: boolean, codes: readonly ProblemCode[]): readonly ProblemCode[] {
  return condition ? codes : [];
}
