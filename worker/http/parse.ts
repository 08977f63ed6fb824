import type { Context } from "hono";
import type { JsonValue } from "../../schema/contract/json.ts";
import {
  MANAGEMENT_BODY_MAX_BYTES,
  MANAGEMENT_BODY_MAX_VALUES,
  SIGN_IN_BODY_MAX_BYTES,
  WEBHOOK_BODY_MAX_BYTES,
  WEBHOOK_BODY_MAX_DEPTH,
} from "../../schema/limits.ts";
import type { AppEnv } from "./app-types.ts";
import { readJsonBody } from "./json-body.ts";
import type { BodyLimits } from "./json-body.ts";

/** Deep enough for the deepest definition with structured parameters inside. */
const MANAGEMENT_BODY_MAX_DEPTH = 64;

/** The body of a management call. A missing body is an empty object, so that validation lists the missing fields. */
export function readBody(context: Context<AppEnv>): Promise<JsonValue> {
  return read(context, {
    maxBytes: MANAGEMENT_BODY_MAX_BYTES,
    maxDepth: MANAGEMENT_BODY_MAX_DEPTH,
    maxValues: MANAGEMENT_BODY_MAX_VALUES,
  });
}

/** A body with variables for an execution. The limits are those of webhooks. */
export function readVariablesBody(context: Context<AppEnv>): Promise<JsonValue> {
  return read(context, { maxBytes: WEBHOOK_BODY_MAX_BYTES, maxDepth: WEBHOOK_BODY_MAX_DEPTH });
}

/** An email address and passwords, or an enrolment code. Small, because anyone may send it. */
export function readSignInBody(context: Context<AppEnv>): Promise<JsonValue> {
  return read(context, { maxBytes: SIGN_IN_BODY_MAX_BYTES, maxDepth: MANAGEMENT_BODY_MAX_DEPTH });
}

async function read(context: Context<AppEnv>, limits: BodyLimits): Promise<JsonValue> {
  const body = await readJsonBody(context.req.raw, limits);
  return body === undefined ? {} : body.value;
}
