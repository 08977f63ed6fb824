import { hash } from "node:crypto";
import type { TriggerAnswer } from "../../../schema/contract/webhook.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { isJsonObject } from "../../../schema/contract/json-object.ts";
import { shorten } from "../../domain/shown-errors.ts";
import type { Deps } from "../deps.ts";
import { checkWebhookKey } from "../keys.ts";
import type { DeliveryFacts, GateAnswer, GateRequest } from "../ports.ts";
import { ProblemError } from "../problem.ts";
import { askGate } from "./ask-gate.ts";
import type { FailedSecrets } from "./failed-secrets.ts";
import { toGateBody } from "./gate-body.ts";
import { inactive, tooMany, unauthorized, unknownKey } from "./problems.ts";
import { presentedSecret, proveSecret, proveSignature, refuseTooManyFailures } from "./prove.ts";
import type { Ask } from "./prove.ts";
import { RefusedKeys } from "./refused-keys.ts";
import { isSlack, slackCheckOf } from "./slack.ts";
import type { SlackCheck } from "./slack.ts";
import type { ParsedBody, WebhookCall } from "./webhook-call.ts";

const IGNORED_FIELDS_MAX = 20;
const IGNORED_FIELD_MAX_CHARS = 100;
const CONTENT_TYPE_MAX_CHARS = 100;

/** Answers that hold for every request with this key and secret, whether or not there is room. */
const TAKES_NOTHING: ReadonlySet<GateAnswer["type"]> = new Set(["unknownKey", "wrongSecret", "inactive"]);

/** One per isolate. */
const refusedKeys = new RefusedKeys();

/** What a webhook is answered: its event, or Slack's check of the address. */
export type WebhookAnswer = { type: "event"; event: TriggerAnswer; isForm: boolean } | ({ type: "check" } & SlackCheck);

/**
 * Accepts a webhook's event, or throws its problem in the order of docs/design/http-api.md#webhook-checks. Keys and
 * secrets that this deployment cannot have made cost no object, query or bcrypt.
 */
export async function triggerWebhook(deps: Deps, failed: FailedSecrets, call: WebhookCall): Promise<WebhookAnswer> {
  const { webhookKey } = call;
  const { secret } = deps.settings;
  const presented = presentedSecret(secret, call);
  if (presented === null && !checkWebhookKey(secret, webhookKey)) throw unknownKey(call);
  const event = eventOf(deps, call);
  const refusedAs = presented?.digest ?? hash("sha256", `${webhookKey}\nhmac`, "base64url");
  const askedAt = deps.now();
  const ask = async (idempotencyKey: string, isFromSlack: boolean, proof: Parameters<Ask>[0]) => {
    const stillToWait = refusedKeys.retryAfterSeconds(refusedAs, askedAt);
    if (stillToWait !== null) throw tooManyRequests(stillToWait);
    return askGate(deps.objects, { ...(await event.request(idempotencyKey, isFromSlack)), ...proof });
  };
  const answer =
    presented === null
      ? // No signature covers the header X-Idempotency-Key.
        await proveSignature(deps, failed, event, ({ deliveryId, verification }, proof) =>
          ask(deliveryId ?? "", isSlack(verification), proof),
        )
      : await proveSecret(presented, (proof) => ask(call.idempotencyKey, false, proof));
  if (TAKES_NOTHING.has(answer.type)) refusedKeys.forget(refusedAs);
  switch (answer.type) {
    case "accepted": {
      refusedKeys.forget(refusedAs);
      const { ignoredFields } = event.facts();
      const isComplete = answer.readsBody || ignoredFields.length === 0;
      const shown = { ...toTriggerAnswer(answer), ...(isComplete ? {} : { ignoredFields }) };
      return { type: "event", event: shown, isForm: event.isForm() };
    }
    case "check":
      return { type: "check", challenge: event.check()?.challenge ?? null };
    case "unknownKey":
      throw unknownKey(call);
    case "wrongSecret":
      refuseTooManyFailures(deps, failed, call, "count");
      throw unauthorized();
    case "inactive":
      throw inactive();
    case "rateLimited":
      refusedKeys.note(refusedAs, answer.retryAfterSeconds, askedAt);
      throw tooManyRequests(answer.retryAfterSeconds);
    case "badBody":
      throw new ProblemError(answer.problem.code, answer.problem.detail, { errors: answer.problem.errors });
    case "verifySecret":
      throw new Error("the webhook secret's hash changed again and again");
  }
}

/** The event of a call. Its body is read and parsed once, when it is needed first, and its id stays the same. */
function eventOf(deps: Deps, call: WebhookCall) {
  const executionId = deps.newId("execution");
  let bytes: Promise<Uint8Array> | null = null;
  const delivery: DeliveryFacts = { bytes: null, contentType: contentTypeOf(call), ignoredFields: [] };
  const readBytes = () =>
    (bytes ??= call.readBytes().then((read) => {
      delivery.bytes = read.byteLength;
      return read;
    }));
  let parsed: ParsedBody | undefined;
  let check: SlackCheck | null = null;
  const body = (isFromSlack: boolean) => async () => {
    parsed = call.parse(await readBytes(), isFromSlack);
    delivery.ignoredFields = ignoredIn(parsed?.value);
    if (isFromSlack && parsed !== undefined) check = slackCheckOf(parsed);
    return parsed;
  };
  let made: Promise<GateRequest["body"]> | null = null;
  return {
    call: { ...call, readBytes },
    facts: () => delivery,
    isForm: () => parsed?.isForm === true,
    check: () => check,
    request: async (idempotencyKey: string, isFromSlack: boolean) => {
      const { webhookKey, sent } = call;
      made ??= toGateBody(body(isFromSlack), idempotencyKey);
      const content = await made;
      return {
        webhookKey,
        executionId,
        sent,
        body: content,
        delivery,
        ...(check === null ? {} : { isCheck: true as const }),
      };
    },
  };
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
function ignoredIn(sent: JsonValue | undefined): string[] {
  if (!isJsonObject(sent)) return [];
  const fields = Object.keys(sent).filter((name) => name !== "variables");
  return fields.slice(0, IGNORED_FIELDS_MAX).map((name) => shorten(name, IGNORED_FIELD_MAX_CHARS));
}

function contentTypeOf({ header }: WebhookCall): string | null {
  const contentType = header("Content-Type");
  return contentType === null ? null : shorten(contentType, CONTENT_TYPE_MAX_CHARS);
}

function tooManyRequests(retryAfterSeconds: number): ProblemError {
  return tooMany("This webhook key has taken all requests of its minute.", retryAfterSeconds);
}
