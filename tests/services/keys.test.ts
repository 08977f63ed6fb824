import { describe, expect, test } from "bun:test";
import { agentKeySchema } from "../../schema/contract/agent.ts";
import { webhookKeySchema, webhookSecretSchema } from "../../schema/contract/webhook.ts";
import {
  checkAgentKey,
  checkWebhookKey,
  checkWebhookSecret,
  mintAgentKey,
  mintWebhookKey,
} from "../../worker/services/keys.ts";

const SECRET = "a-server-secret-of-more-than-32-characters";
const OTHER = "another-server-secret-of-over-32-characters";

/** The same text with its last character changed to another one of the alphabet. */
function altered(text: string): string {
  return text.slice(0, -1) + (text.endsWith("A") ? "B" : "A");
}

describe("agent keys", () => {
  test("match docs/design/http-api.md#keys, and their prefix can be read from them", () => {
    const { prefix, key } = mintAgentKey(SECRET);
    expect(agentKeySchema.safeParse(key).success).toBe(true);
    expect(key.startsWith(`${prefix}_`)).toBe(true);
    expect(checkAgentKey(SECRET, key)).toEqual({ prefix });
  });

  test("are refused when guessed: other prefix, other secret, other deployment, other key's secret, other form", () => {
    const { prefix, key } = mintAgentKey(SECRET);
    const other = mintAgentKey(SECRET);
    expect(checkAgentKey(SECRET, `${altered(prefix)}_${key.slice(prefix.length + 1)}`)).toBeNull();
    expect(checkAgentKey(SECRET, altered(key))).toBeNull();
    expect(checkAgentKey(OTHER, key)).toBeNull();
    expect(checkAgentKey(SECRET, `${prefix}_${other.key.slice(other.prefix.length + 1)}`)).toBeNull();
    for (const text of [
      "",
      "bh",
      `${prefix}_`,
      `${key}x`,
      key.replace("_", "-"),
      `${key.slice(0, 14)}é${key.slice(15)}`,
    ]) {
      expect(checkAgentKey(SECRET, text)).toBeNull();
    }
  });
});

describe("webhook keys", () => {
  test("match docs/design/http-api.md#keys and have their tags", () => {
    const { webhookKey, webhookSecret } = mintWebhookKey(SECRET);
    expect(webhookKeySchema.safeParse(webhookKey).success).toBe(true);
    expect(webhookSecretSchema.safeParse(webhookSecret).success).toBe(true);
    expect(checkWebhookKey(SECRET, webhookKey)).toBe(true);
    expect(checkWebhookSecret(SECRET, webhookKey, webhookSecret)).toBe(true);
  });

  test("are refused when guessed, also with another key's secret", () => {
    const one = mintWebhookKey(SECRET);
    const two = mintWebhookKey(SECRET);
    expect(checkWebhookKey(SECRET, altered(one.webhookKey))).toBe(false);
    expect(checkWebhookKey(OTHER, one.webhookKey)).toBe(false);
    expect(checkWebhookSecret(SECRET, one.webhookKey, two.webhookSecret)).toBe(false);
    expect(checkWebhookSecret(SECRET, one.webhookKey, altered(one.webhookSecret))).toBe(false);
    expect(checkWebhookSecret(SECRET, one.webhookKey, "whs_short")).toBe(false);
  });

  test("are all different", () => {
    const keys = Array.from({ length: 500 }, () => mintWebhookKey(SECRET));
    expect(new Set(keys.map((key) => key.webhookKey)).size).toBe(500);
    expect(new Set(keys.map((key) => key.webhookSecret)).size).toBe(500);
  });
});
