import { PROBLEM_STATUS, STATUS_PHRASES } from "../../../schema/contract/problem.ts";
import type { Problem, ProblemCode } from "../../../schema/contract/problem.ts";
import type { ResponseObject } from "./types.ts";

/** For each code: its meaning, and an example of the detail. */
const TEXTS = {
  invalid_request: [
    "The request has mistakes; `errors` lists each with its place.",
    "One thing is wrong with the request: see errors.",
  ],
  too_complex: [
    "Checking the workflow would take too long.",
    "Checking this workflow would take too long. Move long scripts into files on the host, and use fewer templates and patterns.",
  ],
  unauthorized: ["The credentials are missing or not valid.", "Send the header Authorization: Bearer <token>."],
  forbidden: [
    "The caller lacks a permission; `errors` says where, when a part of the request needs it.",
    "This needs the permission automation:write. Ask an administrator for it.",
  ],
  not_found: [
    "Nothing has this id.",
    "There is no workflow wf_0. It may have been deleted. GET /api/v1/automation/workflows lists the existing ones.",
  ],
  webhook_not_found: [
    "The webhook key does not exist, or its workflow is inactive or not published.",
    "There is no such webhook key, or its workflow is not active.",
  ],
  method_not_allowed: [
    "The address does not support this method; `Allow` lists the methods that it supports.",
    "This address takes GET, HEAD, POST.",
  ],
  request_timeout: [
    "The body stalled for 10 s, or was not complete after 60 s. The connection is closed.",
    "No part of the body came for 10 s. Check the connection, and send the request again.",
  ],
  conflict: [
    "The present state does not allow it; the detail says why.",
    "This workflow is not published, so there is nothing to run. Publish it first.",
  ],
  maintenance: [
    "A maintenance window is open; `ignoreMaintenance: true` runs it anyway.",
    'The maintenance window "Storage" is open until 2026-12-02T06:00:00.000Z. Wait for its end, or send ignoreMaintenance: true.',
  ],
  precondition_failed: [
    "The object has changed since the tag of `If-Match` was read; `ETag` has the present tag.",
    "This has changed since you read it. Read it again, and send If-Match with its ETag.",
  ],
  superseded: [
    "Another process has registered with this agent's key since then; this process must stop.",
    "Another process has registered as this agent.",
  ],
  register_again: ["The session is no longer valid: register, and continue.", "Register again."],
  gone: [
    "The enrolment code was used, was replaced or has expired.",
    "This enrolment code was used or replaced. Create another code for the agent.",
  ],
  payload_too_large: [
    "The body is larger than this operation allows.",
    "The body is larger than 4194304 bytes. Send less, or send a reference.",
  ],
  unsupported_media_type: [
    "This operation does not take bodies of this type.",
    "Send the body as JSON, with Content-Type: application/json.",
  ],
  range_not_satisfiable: [
    "The file does not have the bytes of `Range`; `Content-Range` has its size.",
    "The file has 1024 bytes, and Range asks for none of them. Send another Range.",
  ],
  rate_limit_exceeded: [
    "Too many requests; `Retry-After` says in how many seconds to try again.",
    "More than 60 requests within a minute. Try again later.",
  ],
  internal_error: [
    "A failure of the service. The request id finds it in the log.",
    "The service failed to process the request. Try again, or search the log for the request id.",
  ],
  unavailable: [
    "A required part cannot be reached; `Retry-After` says in how many seconds to try again.",
    "The database cannot be reached, or is busy. Try again in a moment.",
  ],
} as const satisfies Record<ProblemCode, readonly [when: string, detail: string]>;

const HEADERS: Partial<Record<number, Record<string, string>>> = {
  401: { "WWW-Authenticate": "`Bearer`" },
  412: { ETag: "The tag of the present state." },
  416: { "Content-Range": "`bytes */<size>`" },
  429: { "Retry-After": "Seconds until the next attempt." },
  503: { "Retry-After": "Seconds until the next attempt." },
};

/** The name of the component for one status: `NotFound`, `ConflictOrSuperseded`. */
export function problemComponentName(codes: readonly ProblemCode[]): string {
  return codes.map(pascalCase).join("Or");
}

/** An error response: its shape, its possible codes, and an example of each. All codes have the same status. */
export function problemResponseObject(codes: readonly ProblemCode[]): ResponseObject {
  const status = PROBLEM_STATUS[codes[0] ?? "internal_error"];
  return {
    description: codes.map((code) => `\`${code}\`: ${TEXTS[code][0]}`).join(" "),
    headers: headerObjects(HEADERS[status]),
    content: {
      "application/problem+json": {
        schema: {
          allOf: [{ $ref: "#/components/schemas/Problem" }],
          properties: { status: { const: status }, code: { enum: [...codes] } },
        },
        examples: Object.fromEntries(
          codes.map((code) => [code, { summary: TEXTS[code][0], value: exampleProblem(code) }]),
        ),
      },
    },
  };
}

/** Undefined without headers. */
export function headerObjects(headers: Record<string, string> = {}): ResponseObject["headers"] {
  const said = Object.entries(headers);
  if (said.length === 0) return undefined;
  return Object.fromEntries(said.map(([name, description]) => [name, { description, schema: { type: "string" } }]));
}

function exampleProblem(code: ProblemCode): Problem {
  const status = PROBLEM_STATUS[code];
  return {
    type: "about:blank",
    title: STATUS_PHRASES[status],
    status,
    code,
    detail: TEXTS[code][1],
    timestamp: "2026-01-05T12:00:00.000Z",
    instance: "/api/v1/automation/workflows",
    requestId: "0b9c1d52-6d3f-4a53-9d0e-5f1f6a6b7c8d",
    ...(code === "invalid_request" ? { errors: [{ path: "name", message: "is required" }] } : {}),
  };
}

function pascalCase(code: string): string {
  return code.replaceAll(/(?:^|_)([a-z])/gu, (_, letter: string) => letter.toUpperCase());
}
