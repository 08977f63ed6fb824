import { INCIDENT_TAG_VALUE_MAX_CHARS } from "../../../schema/contract/incident.ts";
import type { AlertmanagerAlert } from "../../../schema/contract/integration.ts";
import { isWebAddress } from "../../../schema/contract/web-address.ts";
import { severityBy } from "./severity.ts";
import type { SeverityOf } from "./severity.ts";
import type { Signal } from "./signal.ts";
import { firstText, toDescription, toTags, toTitle } from "./text.ts";

/**
 * One alert of Alertmanager's webhook. The key is its fingerprint, computed from its labels. Fingerprint and `startsAt`
 * name the occurrence: Alertmanager repeats a notification while the alert fires, and changes `startsAt` when it fires
 * again.
 */
export function alertmanagerSignal(alert: AlertmanagerAlert, severityOf: SeverityOf = severityBy()): Signal {
  const { labels, annotations = {}, fingerprint } = alert;
  const key = {
    dedupKey: fingerprint,
    occurrence: `${fingerprint} ${new Date(alert.startsAt).toISOString()}`,
    messageId: null,
  };
  if (alert.status === "resolved") return { ...key, action: "resolve" };
  return {
    ...key,
    action: "trigger",
    incident: {
      title: toTitle(firstText(annotations["summary"], labels["alertname"]) ?? `Alert ${fingerprint}`),
      description: toDescription(annotations[describedBy(annotations)]),
      severity: severityOf(labels["severity"]),
      service: firstText(labels["service"], labels["job"]),
      source: null,
      host: firstText(labels["host"], withoutPort(labels["instance"])),
      teamId: firstText(labels["teamId"], labels["team"]),
      assignedTo: null,
      tags: toTags([...Object.entries(labels), ...furtherTags(alert)]),
    },
  };
}

/** What other fields do not have: the runbook, dashboards and the rule. A label with the same name wins. */
function furtherTags({ labels, annotations = {}, generatorURL = "" }: AlertmanagerAlert): [string, string][] {
  const shown = new Set([...Object.keys(labels), "summary", describedBy(annotations)]);
  return Object.entries({ ...annotations, generatorURL }).filter(([name, text]) => !shown.has(name) && isWhole(text));
}

/** The annotation that becomes the description. */
function describedBy({ description = "" }: Readonly<Record<string, string>>): string {
  return description.trim() === "" ? "message" : "description";
}

/** Neither blank nor an address that a tag would cut: its beginning leads elsewhere. */
function isWhole(text: string): boolean {
  return text.trim() !== "" && (text.length <= INCIDENT_TAG_VALUE_MAX_CHARS || !isWebAddress(text));
}

/** `web-1:9100` is the exporter on the host web-1. Text other than a name or address with a port does not change. */
function withoutPort(instance: string | undefined): string | undefined {
  return instance?.replace(/^(?:\[(?<v6>[^\]]+)\]|(?<name>[^:/]+)):\d+$/u, "$<v6>$<name>");
}
