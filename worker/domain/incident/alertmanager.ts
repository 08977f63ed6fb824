import type { AlertmanagerAlert } from "../../../schema/contract/integration.ts";
import { severityBy } from "./severity.ts";
import type { SeverityOf } from "./severity.ts";
import type { Signal } from "./signal.ts";
import { firstText, toDescription, toTags, toTitle } from "./text.ts";

/** Annotations that become the title and the description. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(["summary", "description", "message"]);

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
      description: toDescription(annotations["description"] ?? annotations["message"]),
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
function furtherTags({ labels, annotations = {}, generatorURL }: AlertmanagerAlert): [string, string][] {
  const further = { ...annotations, ...(generatorURL === undefined ? {} : { generatorURL }) };
  return Object.entries(further).filter(([name]) => !SHOWN_ELSEWHERE.has(name) && !Object.hasOwn(labels, name));
}

/** `web-1:9100` is the exporter on the host web-1. Text other than a name or address with a port does not change. */
function withoutPort(instance: string | undefined): string | undefined {
  return instance?.replace(/^(?:\[(?<v6>[^\]]+)\]|(?<name>[^:/]+)):\d+$/u, "$<v6>$<name>");
}
