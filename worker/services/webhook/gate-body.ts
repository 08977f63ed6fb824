import { hash } from "node:crypto";
import { isJsonObject } from "../../../schema/contract/json-object.ts";
import type { ProblemCode } from "../../../schema/contract/problem.ts";
import { WEBHOOK_IDEMPOTENCY_KEY_MAX_CHARS } from "../../../schema/limits.ts";
import { explicitDedupeKey, payloadDedupeKey } from "../../domain/dedupe.ts";
import { scanPayload } from "../../domain/payload-hash.ts";
import type { BodyProblem, BodyProblemCode, GateRequest } from "../ports.ts";
import { ProblemError } from "../problem.ts";
import type { ParsedBody } from "./webhook-call.ts";

type GateBody = GateRequest["body"];

/**
 * A body for the gate: its text, its variables and its deduplication key, or its problem. `read` reads and parses the body;
 * undefined means no body, which equals `{}`. An empty idempotency key counts as none.
 */
export async function toGateBody(
  read: () => Promise<ParsedBody | undefined>,
  idempotencyKey: string,
): Promise<GateBody> {
  try {
    const body = await read();
    const text = body?.text ?? "";
    const { canonical, variables } = scanPayload(text);
    const misfit = body === undefined ? null : variablesProblem(body);
    const dedupeKey = dedupeKeyOf(canonical, idempotencyKey);
    return { ok: true, dedupeKey, text, variables: misfit ?? variables ?? "{}" };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { code, message, errors } = error;
    if (!isAboutBody(code)) throw error;
    return { ok: false, problem: { code, detail: message, ...(errors === undefined ? {} : { errors: [...errors] }) } };
  }
}

const FORM_NEEDS_BODY =
  "A form of Slack has no variables. Choose the whole body as the payload of the workflow's trigger, and publish it.";

const BODY_PROBLEMS = {
  payload_too_large: true,
  unsupported_media_type: true,
  invalid_request: true,
  request_timeout: true,
} satisfies Record<BodyProblemCode, true>;

export function isAboutBody(code: ProblemCode): code is BodyProblemCode {
  return code in BODY_PROBLEMS;
}

/** Why templates cannot read the body's variables; null when they can. */
function variablesProblem({ value, isForm }: ParsedBody): BodyProblem | null {
  if (isForm === true) return { code: "unsupported_media_type", detail: FORM_NEEDS_BODY };
  if (!isJsonObject(value)) return misfit("The body must be a JSON object.", "");
  if (value.variables === undefined || isJsonObject(value.variables)) return null;
  return misfit("The field variables must be an object of key-value pairs.", "variables");
}

function misfit(detail: string, path: string): BodyProblem {
  return { code: "invalid_request", detail, errors: [{ path, message: "must be an object" }] };
}

function dedupeKeyOf(canonicalPayload: string, idempotencyKey: string): string {
  if (idempotencyKey.length > WEBHOOK_IDEMPOTENCY_KEY_MAX_CHARS) {
    const message = `must have at most ${WEBHOOK_IDEMPOTENCY_KEY_MAX_CHARS} characters`;
    const errors = [{ path: "X-Idempotency-Key", message }];
    throw new ProblemError("invalid_request", `The header X-Idempotency-Key ${message}.`, { errors });
  }
  if (idempotencyKey !== "") return explicitDedupeKey(idempotencyKey);
  return payloadDedupeKey(hash("sha256", canonicalPayload, "base64url"));
}
