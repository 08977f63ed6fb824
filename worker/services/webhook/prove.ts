import { hash } from "node:crypto";
import type { WebhookVerification } from "../../../schema/contract/webhook-verification.ts";
import { BoundedMap } from "../../domain/bounded-map.ts";
import type { Deps } from "../deps.ts";
import { checkWebhookKey, checkWebhookSecret } from "../keys.ts";
import type { DeliveryFacts, GateAnswer, GateRequest, Verifiers } from "../ports.ts";
import { secretMatches } from "../secret-hash.ts";
import { ProblemError } from "../problem.ts";
import type { FailedSecrets } from "./failed-secrets.ts";
import { isAboutBody } from "./gate-body.ts";
import { tooMany, unauthorized, unknownKey } from "./problems.ts";
import { verifySignature } from "./signature.ts";
import type { WebhookCall } from "./webhook-call.ts";

/** Secrets may be replaced while they are checked, but not this often. */
const CHANGES_MAX = 3;
const REMEMBERED_MAX = 10_000;

/** Asks the gate, with the event and a proof of the secret. */
export type Ask = (proof: Pick<GateRequest, "by" | "secretDigest" | "verified">) => Promise<GateAnswer>;

export interface PresentedSecret {
  by: "bearer" | "address";
  secret: string;
  /** SHA-256 of key, way and secret. */
  digest: string;
}

/**
 * Digests of keys and secrets of which both tags were right, with the server's secret that made them: a tag never changes. What
 * the key may do is for the gate to say.
 */
const rightTags = new BoundedMap<string, string>(REMEMBERED_MAX);

/** The secret of a request, if this deployment made it for this key; else null. */
export function presentedSecret(serverSecret: string, call: WebhookCall): PresentedSecret | null {
  for (const by of ["bearer", "address"] as const) {
    const secret = by === "bearer" ? call.bearer : call.addressSecret;
    if (secret === null) continue;
    const digest = hash("sha256", `${call.webhookKey}\n${by}\n${secret}`, "base64url");
    if (rightTags.get(digest) === serverSecret) return { by, secret, digest };
    if (!checkWebhookKey(serverSecret, call.webhookKey)) return null;
    if (!checkWebhookSecret(serverSecret, call.webhookKey, secret)) continue;
    rightTags.set(digest, serverSecret);
    return { by, secret, digest };
  }
  return null;
}

/** With the right secret, one call to the gate decides everything. Only the first call after the gate wakes needs bcrypt. */
export async function proveSecret({ by, secret, digest }: PresentedSecret, ask: Ask): Promise<GateAnswer> {
  let answer = await ask({ by, secretDigest: digest });
  for (let i = 0; i < CHANGES_MAX && answer.type === "verifySecret"; i += 1) {
    const { verifiers } = answer;
    let matches = false;
    for (const verifier of verifiers) matches ||= await secretMatches(secret, verifier);
    answer = await ask({ by, secretDigest: digest, verified: { verifiers, matches } });
  }
  return answer;
}

/** How keys are verified, by the gates' latest answers. A refusal is never given by it alone. */
const remembered = new BoundedMap<string, { verifiers: Verifiers | null }>(REMEMBERED_MAX);

const ASK_AGAIN_MS = 1_000;
const askedAt = new BoundedMap<string, number>(REMEMBERED_MAX);

/** Once a second for each key. */
function asksAgain(webhookKey: string, now: number): boolean {
  // A time ahead comes from a clock that was set back.
  if (Math.abs(now - (askedAt.get(webhookKey) ?? Number.NEGATIVE_INFINITY)) < ASK_AGAIN_MS) return false;
  askedAt.set(webhookKey, now);
  return true;
}

/** A request with a right signature: the delivery's id if the signature covers it, and how it was verified. */
export interface Signed {
  deliveryId: string | null;
  verification: WebhookVerification;
}

/** Throws for a request without a right signature. `readBytes` reads the body, and `ask` is called when one is right. */
export async function proveSignature(
  deps: Deps,
  failed: FailedSecrets,
  { call, facts }: { call: WebhookCall; facts: () => DeliveryFacts },
  ask: (signed: Signed, ...proof: Parameters<Ask>) => Promise<GateAnswer>,
): Promise<GateAnswer> {
  const { webhookKey } = call;
  const { secret } = deps.settings;
  let known = remembered.get(webhookKey);
  for (let i = 0; i < CHANGES_MAX; i += 1) {
    const isNew = known === undefined;
    const verifiers: Verifiers | null =
      known === undefined ? await deps.objects.gate(webhookKey).verifiers(webhookKey) : known.verifiers;
    remembered.set(webhookKey, { verifiers });
    const right =
      verifiers === null
        ? false
        : await verify(secret, verifiers, call, deps.now).catch((error: unknown) =>
            refuseUnread(deps, failed, { call, facts }, error),
          );
    if (verifiers !== null && right !== false) {
      const verified = { verifiers: verifiers.verifiers, matches: true };
      const answer = await ask(
        { ...right, verification: verifiers.verification },
        { by: "hmac", secretDigest: null, verified },
      );
      if (answer.type !== "verifySecret") return answer;
      known = { verifiers: { verification: answer.verification, verifiers: answer.verifiers } };
    } else if (isNew) {
      refuseTooManyFailures(deps, failed, call, "count");
      if (verifiers === null) throw unknownKey(call);
      await deps.objects.gate(webhookKey).refused(webhookKey, "unauthorized", facts());
      throw unauthorized();
    } else {
      // A replaced secret must not stay refused for as long as its wrong signatures count.
      if (!asksAgain(webhookKey, deps.now())) refuseTooManyFailures(deps, failed, call, "look");
      known = undefined;
    }
  }
  throw new Error("the webhook's secret changed again and again");
}

/** Notes a body that could not be read, so that its signature could not be checked, as often as wrong secrets may come. */
async function refuseUnread(
  deps: Deps,
  failed: FailedSecrets,
  { call: { webhookKey, address }, facts }: { call: WebhookCall; facts: () => DeliveryFacts },
  error: unknown,
): Promise<never> {
  const isCounted = error instanceof ProblemError && isAboutBody(error.code);
  if (isCounted && failed.note(webhookKey, address, deps.now()) === null) {
    await deps.objects.gate(webhookKey).refused(webhookKey, error.code, facts());
  }
  throw error;
}

async function verify(
  serverSecret: string,
  { verification, verifiers }: Verifiers,
  call: WebhookCall,
  now: () => number,
) {
  if (verification.type !== "hmac") return false;
  return verifySignature(serverSecret, { verification, verifiers }, call, now);
}

/** Throws 429 when this caller has shown too many wrong secrets for this key within the last minute. */
export function refuseTooManyFailures(
  deps: Deps,
  failed: FailedSecrets,
  { webhookKey, address }: WebhookCall,
  mode: "count" | "look",
): void {
  const now = deps.now();
  const wait = mode === "count" ? failed.note(webhookKey, address, now) : failed.refusal(webhookKey, address, now);
  if (wait !== null) throw tooMany("Too many wrong secrets came from this address.", wait);
}
