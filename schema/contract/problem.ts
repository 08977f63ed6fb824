import { z } from "zod";

/** The HTTP status of each code (docs/design/http-api.md#problems). */
export const PROBLEM_STATUS = {
  invalid_request: 400,
  too_complex: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  webhook_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  precondition_failed: 412,
  maintenance: 409,
  superseded: 409,
  register_again: 409,
  gone: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  rate_limit_exceeded: 429,
  internal_error: 500,
  unavailable: 503,
} as const;

export type ProblemCode = keyof typeof PROBLEM_STATUS;

/** The HTTP status phrase of every possible status of a problem. */
export const STATUS_PHRASES = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
} as const satisfies Record<(typeof PROBLEM_STATUS)[ProblemCode], string>;

/** A safe fix of a problem or a warning. The edits belong together, and are made from the last to the first. */
export const fixSchema = z.object({
  /** The label of its button: `Use | int`. */
  title: z.string(),
  edits: z.array(
    z.object({
      /** The text to change, or to create if it is missing: `definition.nodes.2.params.env.TITLE`. */
      path: z.string(),
      /** The characters of the present text to replace (UTF-16, `end` excluded); without them, the whole text. */
      start: z.int().min(0).optional(),
      end: z.int().min(0).optional(),
      value: z.string(),
    }),
  ),
});
export type Fix = z.infer<typeof fixSchema>;

/** One problem of an input and its place: `nodes.2.params.command`; for a file also the line, from 1. */
export const fieldErrorSchema = z.object({
  path: z.string(),
  message: z.string(),
  line: z.int().optional(),
  column: z.int().optional(),
  fix: fixSchema.optional(),
});
export type FieldError = z.infer<typeof fieldErrorSchema>;

/** The body of every error, sent as `application/problem+json` (docs/design/http-api.md#problems). */
export const problemSchema = z.object({
  type: z.literal("about:blank"),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string(),
  timestamp: z.iso.datetime(),
  instance: z.string(),
  requestId: z.string().optional(),
  errors: z.array(fieldErrorSchema).optional(),
});
export type Problem = z.infer<typeof problemSchema>;

/** Why an execution, a node run or a job failed: a stable code, and a sentence with the next step. */
export const failureSchema = z.object({
  code: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/u),
  message: z.string().max(16_384),
});
export type Failure = z.infer<typeof failureSchema>;
