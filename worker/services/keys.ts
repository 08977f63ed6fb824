import { createHmac, timingSafeEqual } from "node:crypto";
import { agentKeySchema, enrolmentCodeSchema } from "../../schema/contract/agent.ts";
import { apiTokenSchema } from "../../schema/contract/people.ts";
import { integrationKeySchema } from "../../schema/contract/integration.ts";
import { webhookKeySchema, webhookSecretSchema } from "../../schema/contract/webhook.ts";

/**
 * Agent keys, enrolment codes, webhook keys and their secrets, API tokens (docs/design/http-api.md#keys). Each random
 * part ends in a four-character tag keyed with the deployment's secret, so a guessed key is refused without any object,
 * query or bcrypt. A secret's tag also covers its key, so the secret of another key is refused like a guess.
 */
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const TAG_CHARS = 4;
const AGENT_PREFIX_CHARS = 10;
const WEBHOOK_KEY_CHARS = 22;
const INTEGRATION_PREFIX_CHARS = 10;
const SECRET_CHARS = 43;

export interface MintedAgentKey {
  /** `bh<10 base62>`: stored plain, finds the agent. */
  prefix: string;
  /** The whole key, shown once. */
  key: string;
}

export function mintAgentKey(serverSecret: string): MintedAgentKey {
  const prefix = `bh${mintPart(serverSecret, "agent-prefix", AGENT_PREFIX_CHARS)}`;
  return { prefix, key: `${prefix}_${mintPart(serverSecret, `agent-secret:${prefix}`, SECRET_CHARS)}` };
}

export function mintWebhookKey(serverSecret: string): { webhookKey: string; webhookSecret: string } {
  const webhookKey = `wh${mintPart(serverSecret, "webhook-key", WEBHOOK_KEY_CHARS)}`;
  return { webhookKey, webhookSecret: mintWebhookSecret(serverSecret, webhookKey) };
}

/** Another secret for a key. */
export function mintWebhookSecret(serverSecret: string, webhookKey: string): string {
  return `whs_${mintPart(serverSecret, `webhook-secret:${webhookKey}`, SECRET_CHARS)}`;
}

/** `bht_<43 base62>`. */
export function mintApiToken(serverSecret: string): string {
  return `bht_${mintPart(serverSecret, "api-token", SECRET_CHARS)}`;
}

/** Whether this deployment can have made the API token. */
export function checkApiToken(serverSecret: string, token: string): boolean {
  return apiTokenSchema.safeParse(token).success && carriesTag(serverSecret, "api-token", token.slice("bht_".length));
}

/** `bhe_<43 base62>`. */
export function mintEnrolmentCode(serverSecret: string): string {
  return `bhe_${mintPart(serverSecret, "enrolment-code", SECRET_CHARS)}`;
}

/** Whether this deployment can have made the enrolment code. */
export function checkEnrolmentCode(serverSecret: string, code: string): boolean {
  return (
    enrolmentCodeSchema.safeParse(code).success && carriesTag(serverSecret, "enrolment-code", code.slice("bhe_".length))
  );
}

/** `itg<10 base62>`, stored plain, finds the integration; the whole key is shown once. */
export function mintIntegrationKey(serverSecret: string): { prefix: string; key: string } {
  const prefix = `itg${mintPart(serverSecret, "integration-prefix", INTEGRATION_PREFIX_CHARS)}`;
  return { prefix, key: `${prefix}_${mintPart(serverSecret, `integration-secret:${prefix}`, SECRET_CHARS)}` };
}

/** The key's prefix when both parts carry their tags; null for anything else. */
export function checkAgentKey(serverSecret: string, key: string): { prefix: string } | null {
  if (!agentKeySchema.safeParse(key).success) return null;
  const separator = key.indexOf("_");
  const prefix = key.slice(0, separator);
  if (!carriesTag(serverSecret, "agent-prefix", prefix.slice("bh".length))) return null;
  return carriesTag(serverSecret, `agent-secret:${prefix}`, key.slice(separator + 1)) ? { prefix } : null;
}

/** Like `checkAgentKey`, for an integration's key. */
export function checkIntegrationKey(serverSecret: string, key: string): { prefix: string } | null {
  if (!integrationKeySchema.safeParse(key).success) return null;
  const separator = key.indexOf("_");
  const prefix = key.slice(0, separator);
  if (!carriesTag(serverSecret, "integration-prefix", prefix.slice("itg".length))) return null;
  return carriesTag(serverSecret, `integration-secret:${prefix}`, key.slice(separator + 1)) ? { prefix } : null;
}

export function checkWebhookKey(serverSecret: string, webhookKey: string): boolean {
  if (!webhookKeySchema.safeParse(webhookKey).success) return false;
  return carriesTag(serverSecret, "webhook-key", webhookKey.slice("wh".length));
}

export function checkWebhookSecret(serverSecret: string, webhookKey: string, webhookSecret: string): boolean {
  if (!webhookSecretSchema.safeParse(webhookSecret).success) return false;
  return carriesTag(serverSecret, `webhook-secret:${webhookKey}`, webhookSecret.slice("whs_".length));
}

function mintPart(serverSecret: string, label: string, chars: number): string {
  const body = randomBase62(chars - TAG_CHARS);
  return body + tagOf(serverSecret, label, body);
}

function carriesTag(serverSecret: string, label: string, part: string): boolean {
  const body = part.slice(0, -TAG_CHARS);
  return timingSafeEqual(Buffer.from(part.slice(-TAG_CHARS)), Buffer.from(tagOf(serverSecret, label, body)));
}

function tagOf(serverSecret: string, label: string, body: string): string {
  const digest = createHmac("sha256", serverSecret).update(`${label}\n${body}`).digest();
  let value = digest.readUIntBE(0, 6);
  let tag = "";
  for (let i = 0; i < TAG_CHARS; i += 1) {
    tag += BASE62.charAt(value % BASE62.length);
    value = Math.floor(value / BASE62.length);
  }
  return tag;
}

/** Uniform: bytes that would favour the first characters are discarded. */
function randomBase62(chars: number): string {
  const limit = 256 - (256 % BASE62.length);
  let text = "";
  while (text.length < chars) {
    for (const byte of crypto.getRandomValues(new Uint8Array(chars))) {
      if (byte < limit && text.length < chars) text += BASE62.charAt(byte % BASE62.length);
    }
  }
  return text;
}
