import type { IntegrationKind } from "../../../schema/contract/integration.ts";

export const KINDS = {
  alertmanager: {
    label: "Prometheus Alertmanager",
    what: "A webhook receiver: every alert of a group becomes an incident, and a resolved alert resolves it.",
  },
  pagerduty: {
    label: "PagerDuty Events API v2",
    what: "For tools that send to PagerDuty and let you change the URL.",
  },
  cloudevents: {
    label: "CloudEvents 1.0",
    what: "For event buses and your own programs: structured, batched or binary, over HTTP.",
  },
} as const satisfies Record<IntegrationKind, { label: string; what: string }>;

export const KIND_NAMES: readonly IntegrationKind[] = ["alertmanager", "pagerduty", "cloudevents"];

const ADDRESS =
  /\/api\/v1\/integrations\/(alertmanager|pagerduty|cloudevents)\/(itg[A-Za-z0-9]{10}_[A-Za-z0-9]{43})(?:\/v2\/enqueue)?\/?$/u;

/** The key in an integration's URL, or the problem of the URL. */
export function keyOf(address: string, kind: IntegrationKind): { key: string } | { problem: string } {
  const [, named, key] = ADDRESS.exec(address.trim()) ?? [];
  if (named === undefined || key === undefined) {
    return {
      problem:
        "This is not the URL of an integration: such a URL ends with the key, itg… with 43 characters after an underscore.",
    };
  }
  return named === kind ? { key } : { problem: `This is the URL of an integration for ${named}, not for ${kind}.` };
}
