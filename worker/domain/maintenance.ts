import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import { isJsonObject } from "../../schema/contract/json-object.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
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

/** What a window may apply to: a run of a workflow, about a service if the trigger names one. */
export interface MaintenanceSubject {
  readonly workflowId: string;
  readonly tags: readonly string[];
  readonly service: string | null;
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

/** The service that an event is about: of an incident, or the text `service` of a webhook's variables or JSON body. */
export function serviceOf(trigger: ExecutionTrigger): string | null {
  if (trigger.type === "incident") return textIn(trigger.incident);
  if (trigger.type !== "webhook") return null;
  const body = ownValue(trigger.variables, ["body"]);
  return textIn(trigger.variables) ?? (isJsonObject(body) ? textIn(body) : null);
}

function textIn(fields: JsonObject): string | null {
  const service = ownValue(fields, ["service"]);
  return typeof service === "string" ? service : null;
}

function applies(window: MaintenanceWindow, { workflowId, tags, service }: MaintenanceSubject): boolean {
  return (
    window.everything ||
    window.workflowIds.includes(workflowId) ||
    window.tags.some((tag) => tags.includes(tag)) ||
    (service !== null && window.services.some((one) => spelling(one) === spelling(service)))
  );
}

/** Monitoring systems and people do not agree about upper and lower case. */
function spelling(service: string): string {
  return service.trim().toLowerCase();
}
