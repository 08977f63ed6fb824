import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import { isJsonObject } from "../../schema/contract/json-object.ts";
import type { MaintenanceMode, MaintenanceState } from "../../schema/contract/maintenance.ts";
import { ownValue } from "./template/index.ts";

/** Times are epoch ms. */
export interface MaintenanceWindow {
  readonly id: string;
  readonly name: string;
  readonly revision: number;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly mode: MaintenanceMode;
  readonly everything: boolean;
  readonly workflowIds: readonly string[];
  readonly tags: readonly string[];
  readonly services: readonly string[];
}

/** What a window may apply to: a run of a workflow, about the services that the trigger names. */
export interface MaintenanceSubject {
  readonly workflowId: string;
  readonly tags: readonly string[];
  readonly services: readonly string[];
}

/** A skipped run is lost to the workflow, so the person who chose that mode expects it to win. */
const PRECEDENCE = { skip: 0, ask: 1, hold: 2 } as const satisfies Record<MaintenanceMode, number>;

/** The window that decides: of those that are open and apply, skip before ask before hold, then the one that ends last. */
export function decidingWindow<W extends MaintenanceWindow>(
  windows: readonly W[],
  subject: MaintenanceSubject,
  now: number,
): W | null {
  // Spelled once: a body may have thousands.
  const services = new Set(subject.services.map(spelling));
  const [first = null] = windows
    .filter((window) => stateOf(window, now) === "open" && applies(window, subject, services))
    .toSorted((a, b) => PRECEDENCE[a.mode] - PRECEDENCE[b.mode] || b.endsAt - a.endsAt || (a.id < b.id ? -1 : 1));
  return first;
}

/** Open from its start until before its end. */
export function stateOf(
  { startsAt, endsAt }: Pick<MaintenanceWindow, "startsAt" | "endsAt">,
  now: number,
): MaintenanceState {
  if (now >= endsAt) return "ended";
  return now < startsAt ? "planned" : "open";
}

/** Where the senders of `console/strings/en/webhook-presets.ts` name their service. */
const IN_BODIES = [
  ["service"],
  ["commonLabels", "service"],
  ["event", "data", "service", "summary"],
  ["repository", "full_name"],
];

/** The services that events are about: of incidents, also of a failed run's, or as a webhook's sender names them. */
export function servicesOf(trigger: ExecutionTrigger): string[] {
  switch (trigger.type) {
    case "incident": {
      const { batch } = trigger.incident;
      return textsAt([["service"]], [trigger.incident, ...listOf(batch)]);
    }
    case "failure":
      return textsAt([["key"], ["incident", "service"]], [trigger.failed]);
    case "webhook": {
      const { service, body } = trigger.variables;
      if (typeof service === "string") return [service];
      const alerts = listOf(ownValue(body, ["alerts"])).filter((alert) => !isResolved(alert));
      return [...new Set([...textsAt(IN_BODIES, [body]), ...textsAt([["labels", "service"]], alerts)])];
    }
    case "manual":
    case "cron":
    case "workflow":
      return [];
  }
}

/** Alertmanager and Grafana send resolved alerts beside those that fire. */
function isResolved(alert: unknown): boolean {
  return isJsonObject(alert) && ownValue(alert, ["status"]) === "resolved";
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsAt(paths: readonly (readonly string[])[], values: readonly unknown[]): string[] {
  const found = values.flatMap((value) => (isJsonObject(value) ? paths.map((path) => ownValue(value, path)) : []));
  return [...new Set(found.filter((text) => typeof text === "string"))];
}

function applies(
  window: MaintenanceWindow,
  { workflowId, tags }: MaintenanceSubject,
  services: ReadonlySet<string>,
): boolean {
  return (
    window.everything ||
    window.workflowIds.includes(workflowId) ||
    window.tags.some((tag) => tags.includes(tag)) ||
    (services.size > 0 && window.services.some((service) => services.has(spelling(service))))
  );
}

/** Monitoring systems and people do not agree about upper and lower case, and about composed letters. */
function spelling(service: string): string {
  return service.trim().toLowerCase().normalize("NFC");
}
