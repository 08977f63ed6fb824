import type { JsonObject } from "../../schema/contract/json.ts";
import type { WebhookTrigger } from "../../schema/contract/webhook-trigger.ts";
import { webhookPresets } from "../strings/en/webhook-presets.ts";

const { samples } = webhookPresets;

export const PRESETS = [
  "alertmanager",
  "github",
  "grafana",
  "pagerduty",
] as const satisfies readonly (keyof typeof samples)[];
export type WebhookPreset = (typeof PRESETS)[number];

/** The values of the headers that samples name. */
const HEADERS: Readonly<Record<string, string>> = {
  "x-github-event": "workflow_run",
  "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
};

/** A trigger that takes a sender's requests as they are, and the variables of a sample request. */
export function presetOf(preset: WebhookPreset): { trigger: WebhookTrigger; variables: JsonObject } {
  const { headers, body } = samples[preset];
  const named: readonly string[] = headers;
  return {
    trigger: { type: "webhook", payload: "body", ...(named.length === 0 ? {} : { headers: [...named] }) },
    variables: { body, headers: Object.fromEntries(named.map((name) => [name, HEADERS[name] ?? ""])), query: {} },
  };
}
