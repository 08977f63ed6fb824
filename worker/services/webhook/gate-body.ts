import { hash } from "node:crypto";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { isJsonObject } from "../../../schema/contract/json-object.ts";
import type { ProblemCode } from "../../../schema/contract/problem.ts";
import { WEBHOOK_IDEMPOTENCY_KEY_MAX_CHARS } from "../../../schema/limits.ts";
import { explicitDedupeKey, payloadDedupeKey } from "../../domain/dedupe.ts";
import { scanPayload } from "../../domain/payload-hash.ts";
import type { BodyProblemCode, GateRequest } from "../ports.ts";
import { ProblemError } from "../problem.ts";

type GateBody = GateRequest["body"];

/**
 * A body for the gate: its variables and its deduplication key, or its problem. `read` reads and parses the body;
 * undefined means no body, which equals `{}`. An empty idempotency key counts as none.
 */
export async function toGateBody(
  read: () => Promise<{ text: string; value: JsonValue } | undefined>,
  idempotencyKey: string,
): Promise<GateBody> {
  try {
    const body = await read();
    if (body !== undefined) refuseOtherShapes(body.value);
    const { canonical, variables } = scanPayload(body?.text ?? "");
    return { ok: true, dedupeKey: dedupeKeyOf(canonical, idempotencyKey), variables: variables ?? "{}" };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { code, message, errors } = error;
    if (!isAboutBody(code)) throw error;
    return { ok: false, problem: { code, detail: message, ...(errors === undefined ? {} : { errors: [...errors] }) } };
  }
}

const BODY_PROBLEMS = {
  payload_too_large: true,
  unsupported_media_type: true,
  invalid_request: true,
  request_timeout: true,
} satisfies Record<BodyProblemCode, true>;

function isAboutBody(code: ProblemCode): code is BodyProblemCode {
  return code in BODY_PROBLEMS;
}

function refuseOtherShapes(value: JsonValue): void {
  if (!isJsonObject(value)) throw invalid("The body must be a JSON object.", "", "must be an object");
  if (value.variables !== undefined && !isJsonObject(value.variables)) {
    throw invalid("The field variables must be an object of key-value pairs.", "variables", "must be an object");
  }
}

function dedupeKeyOf(canonicalPayload: string, idempotencyKey: string): string {
  if (idempotencyKey.length > WEBHOOK_IDEMPOTENCY_KEY_MAX_CHARS) {
    const limit = `must have at most ${WEBHOOK_IDEMPOTENCY_KEY_MAX_CHARS} characters`;
    throw invalid(`The header X-Idempotency-Key ${limit}.`, "X-Idempotency-Key", limit);
  }
  if (idempotencyKey !== "") return explicitDedupeKey(idempotencyKey);
  return payloadDedupeKey(hash("sha256", canonicalPayload, "base64url"));
}

function invalid(detail: string, path: string, message: string): ProblemError {
  return new ProblemError("invalid_request", detail, { errors: [{ path, message }] });
}
