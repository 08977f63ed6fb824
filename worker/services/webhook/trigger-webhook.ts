import { hash } from "node:crypto";
import type { TriggerAnswer } from "../../../schema/contract/webhook.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { isJsonObject } from "../../../schema/contract/json-object.ts";
import { BoundedMap } from "../../domain/bounded-map.ts";
import { shorten } from "../../domain/shown-errors.ts";
import type { Deps } from "../deps.ts";
import { checkWebhookKey, checkWebhookSecret } from "../keys.ts";
import type { GateAnswer, GateRequest } from "../ports.ts";
import { ProblemError } from "../problem.ts";
import { secretMatches } from "../secret-hash.ts";
import { askGate } from "./ask-gate.ts";
import type { FailedSecrets } from "./failed-secrets.ts";
import { toGateBody } from "./gate-body.ts";
import { RefusedKeys } from "./refused-keys.ts";

export interface WebhookCall {
  webhookKey: string;
  /** The bearer token. */
  secret: string;
  /** The caller's address; null when it is unknown. Callers without an address are counted together. */
  address: string | null;
  /** Empty without the header. */
  idempotencyKey: string;
  /** Reads the body within its limits; undefined when there is none. Throws a ProblemError. */
  readBody(): Promise<{ text: string; value: JsonValue } | undefined>;
  sent: GateRequest["sent"];
}

/** The hash may be replaced while bcrypt compares with the old one, but not this often. */
const HASH_CHANGES_MAX = 3;
const RIGHT_TAGS_MAX = 10_000;
const IGNORED_FIELDS_MAX = 20;
const IGNORED_FIELD_MAX_CHARS = 100;

/** Answers that hold for every request with this key and secret, whether or not there is room. */
const TAKES_NOTHING: ReadonlySet<GateAnswer["type"]> = new Set(["unknownKey", "wrongSecret", "inactive"]);

/**
 * Digests of keys and secrets whose tags were right, with the server's secret that made them: a tag never changes. What
 * the key may do is for the gate to say.
 */
const rightTags = new BoundedMap<string, string>(RIGHT_TAGS_MAX);

/** One per isolate. */
const refusedKeys = new RefusedKeys();

/**
 * Accepts a webhook's event, or throws its problem in the order of docs/design/http-api.md#webhook-checks. Keys and
 * secrets that this deployment cannot have made cost no object, query or bcrypt. With the right secret, one call to the
 * gate decides everything. Only the first call after the gate wakes needs bcrypt and a second call, since bcrypt would
 * block the object.
 */
export async function triggerWebhook(deps: Deps, failed: FailedSecrets, call: WebhookCall): Promise<TriggerAnswer> {
  const { webhookKey, secret } = call;
  const secretDigest = hash("sha256", `${webhookKey}\n${secret}`, "base64url");
  if (rightTags.get(secretDigest) !== deps.settings.secret) {
    if (!checkWebhookKey(deps.settings.secret, webhookKey)) throw notFound();
    if (!checkWebhookSecret(deps.settings.secret, webhookKey, secret)) {
      refuseTooManyFailures(deps, failed, call);
      throw (await deps.objects.gate(webhookKey).knows(webhookKey)) ? wrongSecret() : notFound();
    }
    rightTags.set(secretDigest, deps.settings.secret);
  }
  const askedAt = deps.now();
  const stillToWait = refusedKeys.retryAfterSeconds(secretDigest, askedAt);
  if (stillToWait !== null) throw tooManyRequests(stillToWait);
  let sent: JsonValue | undefined;
  const read = async () => {
    const found = await call.readBody();
    sent = found?.value;
    return found;
  };
  const body = await toGateBody(read, call.idempotencyKey);
  const request: GateRequest = {
    webhookKey,
    secretDigest,
    executionId: deps.newId("execution"),
    body,
    sent: call.sent,
  };
  const answer = await askWithSecret(deps, secret, request);
  if (TAKES_NOTHING.has(answer.type)) refusedKeys.forget(secretDigest);
  switch (answer.type) {
    case "accepted":
      return { ...toTriggerAnswer(answer), ...(answer.readsBody ? {} : ignoredIn(sent)) };
    case "unknownKey":
      throw notFound();
    case "wrongSecret":
      refuseTooManyFailures(deps, failed, call);
      throw wrongSecret();
    case "inactive":
      throw new ProblemError(
        "webhook_not_found",
        "The workflow of this webhook is not published or not active. Publish it and activate it.",
      );
    case "rateLimited":
      refusedKeys.note(secretDigest, answer.retryAfterSeconds, askedAt);
      throw tooManyRequests(answer.retryAfterSeconds);
    case "badBody":
      throw new ProblemError(answer.problem.code, answer.problem.detail, { errors: answer.problem.errors });
    case "verifySecret":
      throw new Error("the webhook secret's hash changed again and again");
  }
}

async function askWithSecret(deps: Deps, secret: string, request: GateRequest): Promise<GateAnswer> {
  let answer = await askGate(deps.objects, request);
  for (let i = 0; i < HASH_CHANGES_MAX && answer.type === "verifySecret"; i += 1) {
    const { secretHash } = answer;
    const matches = await secretMatches(secret, secretHash);
    answer = await askGate(deps.objects, { ...request, verified: { secretHash, matches } });
  }
  return answer;
}

function toTriggerAnswer(answer: GateAnswer & { type: "accepted" }): TriggerAnswer {
  const { executionId, status, startedAt, deduplicated } = answer;
  return {
    executionId,
    status,
    startedAt: new Date(startedAt).toISOString(),
    ...(deduplicated ? { deduplicated } : {}),
  };
}

/** Templates see only `variables`: the answer says so to a sender that puts its values elsewhere. */
function ignoredIn(sent: JsonValue | undefined): Pick<TriggerAnswer, "ignoredFields"> {
  if (!isJsonObject(sent)) return {};
  const fields = Object.keys(sent).filter((name) => name !== "variables");
  if (fields.length === 0) return {};
  return { ignoredFields: fields.slice(0, IGNORED_FIELDS_MAX).map((name) => shorten(name, IGNORED_FIELD_MAX_CHARS)) };
}

/** Throws 429 when this caller has shown too many wrong secrets for this key within the last minute. */
function refuseTooManyFailures(deps: Deps, failed: FailedSecrets, call: WebhookCall): void {
  const retryAfterSeconds = failed.note(call.webhookKey, call.address, deps.now());
  if (retryAfterSeconds !== null) throw tooMany("Too many wrong secrets came from this address.", retryAfterSeconds);
}

function tooManyRequests(retryAfterSeconds: number): ProblemError {
  return tooMany("This webhook key takes 60 requests a minute.", retryAfterSeconds);
}

function notFound(): ProblemError {
  return new ProblemError(
    "webhook_not_found",
    "There is no webhook with this key. Copy its address from the workflow.",
  );
}

function wrongSecret(): ProblemError {
  return new ProblemError("unauthorized", "The webhook secret is wrong. Generate a new key if it was lost.", {
    headers: { "WWW-Authenticate": "Bearer" },
  });
}

function tooMany(reason: string, retryAfterSeconds: number): ProblemError {
  return new ProblemError("rate_limit_exceeded", `${reason} Try again in ${retryAfterSeconds} s.`, {
    headers: { "Retry-After": String(retryAfterSeconds) },
  });
}
