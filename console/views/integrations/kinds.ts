import type { IntegrationKind } from "../../../schema/contract/integration.ts";
import { integrations } from "../../strings/en/integrations.ts";

const { address: text, kinds } = integrations;

export const KIND_NAMES: readonly IntegrationKind[] = ["alertmanager", "pagerduty", "cloudevents"];

const ADDRESS =
  /\/api\/v1\/integrations\/(alertmanager|pagerduty|cloudevents)\/(itg[A-Za-z0-9]{10}_[A-Za-z0-9]{43})(?:\/v2\/enqueue)?\/?$/u;

/** The key in an integration's URL, or the problem of the URL. */
export function keyOf(address: string, kind: IntegrationKind): { key: string } | { problem: string } {
  const [, named, key] = ADDRESS.exec(address.trim()) ?? [];
  const found = KIND_NAMES.find((one) => one === named);
  if (found === undefined || key === undefined) return { problem: text.isOther };
  return found === kind ? { key } : { problem: text.isOf(kinds[found].label, kinds[kind].label) };
}
