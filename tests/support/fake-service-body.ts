import { z } from "zod";
import {
  AGENT_PROTOCOLS,
  enrolRequestSchema,
  heartbeatRequestSchema,
  jobResultSchema,
  offlineRequestSchema,
  registerRequestSchema,
} from "../../schema/contract/agent.ts";
import {
  AGENT_BODY_MAX_BYTES,
  AGENT_REGISTRATION_MAX_BYTES,
  AGENT_WORD_MAX_BYTES,
  SIGN_IN_BODY_MAX_BYTES,
} from "../../schema/limits.ts";
import type { bodyOf, Refusal } from "./fake-service-http.ts";

export type PostRoute = "enrol" | "register" | "results" | "heartbeat" | "offline";
export type Body = Awaited<ReturnType<typeof bodyOf>>;

const MAX_BYTES = {
  enrol: SIGN_IN_BODY_MAX_BYTES,
  register: AGENT_REGISTRATION_MAX_BYTES,
  results: AGENT_BODY_MAX_BYTES,
  heartbeat: AGENT_WORD_MAX_BYTES,
  offline: AGENT_WORD_MAX_BYTES,
};
/** The contract, closed to fields of later versions. */
const STRICT = {
  enrol: z.strictObject(enrolRequestSchema.shape),
  register: z.strictObject(registerRequestSchema.shape),
  results: z.strictObject({ results: z.array(z.strictObject(jobResultSchema.shape)) }),
  heartbeat: z.strictObject(heartbeatRequestSchema.shape),
  offline: z.strictObject(offlineRequestSchema.shape),
};
const protocolSchema = z.object({ protocol: z.number() });

/** Parses a body as the service does; `unknownFields` lists its fields that are not in the contract. */
export function readBody<T>(
  route: PostRoute,
  contentType: string | undefined,
  { bytes, json = {}, isJson, isBlank }: Body,
  schema: z.ZodType<T>,
): { data: T; unknownFields: string | null } | Refusal {
  if (bytes > MAX_BYTES[route]) return { code: "payload_too_large", detail: `a body of ${bytes} bytes` };
  if (!isBlank && contentType !== "application/json") {
    return { code: "unsupported_media_type", detail: `content type ${contentType}` };
  }
  if (!isJson) return { code: "invalid_request", detail: "a body that is not JSON" };
  const protocol = route === "register" ? protocolSchema.safeParse(json).data?.protocol : undefined;
  if (protocol !== undefined && !AGENT_PROTOCOLS.includes(protocol)) {
    return { code: "invalid_request", detail: "protocol", errors: [{ path: "protocol", message: "is not spoken" }] };
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success) return invalid(parsed.error);
  const strict = STRICT[route].safeParse(json);
  return { data: parsed.data, unknownFields: strict.success ? null : strict.error.message };
}

export function invalid({ message, issues }: z.ZodError): Refusal {
  const errors = issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
  return { code: "invalid_request", detail: message, errors };
}
