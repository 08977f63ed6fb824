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
  const [first = null] = windows
    .filter((window) => stateOf(window, now) === "open" && applies(window, subject))
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

/**
 * The services that events are about: of incidents, also of a failed run's, or the text `service` of a webhook's
 * variables or JSON body.
 */
export function servicesOf(trigger: ExecutionTrigger): string[] {
  if (trigger.type === "incident") {
    const { batch } = trigger.incident;
    return servicesIn([trigger.incident, ...(Array.isArray(batch) ? batch : [])]);
  }
  if (trigger.type === "failure") return servicesIn([trigger.failed["incident"]]);
  if (trigger.type !== "webhook") return [];
  const { variables } = trigger;
  return servicesIn([variables, ownValue(variables, ["body"])]).slice(0, 1);
}

function servicesIn(events: readonly unknown[]): string[] {
  const services = events.map((event) => (isJsonObject(event) ? ownValue(event, ["service"]) : null));
  return [...new Set(services.filter((service) => typeof service === "string"))];
}

function applies(window: MaintenanceWindow, { workflowId, tags, services }: MaintenanceSubject): boolean {
  return (
    window.everything ||
    window.workflowIds.includes(workflowId) ||
    window.tags.some((tag) => tags.includes(tag)) ||
    services.some((service) => window.services.some((one) => spelling(one) === spelling(service)))
  );
}

/** Monitoring systems and people do not agree about upper and lower case, and about composed letters. */
function spelling(service: string): string {
  return service.trim().toLowerCase().normalize("NFC");
}
