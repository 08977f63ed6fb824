import { executionTriggerTypeSchema } from "../../../schema/contract/execution.ts";
import type { ExecutionTriggerType } from "../../../schema/contract/execution.ts";
import type { ListedStatus } from "../../../schema/contract/list-executions.ts";
import type { ListFilter } from "./live-list.ts";

export const STATUSES = [
  "running",
  "waiting",
  "succeeded",
  "failed",
  "cancelled",
] as const satisfies readonly ListedStatus[];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The spans of time up to now in ms, by their value in the URL. */
export const SPANS = {
  "15m": 15 * MINUTE_MS,
  "1h": HOUR_MS,
  "6h": 6 * HOUR_MS,
  "24h": DAY_MS,
  "7d": 7 * DAY_MS,
  "30d": 30 * DAY_MS,
} as const;
export type Span = keyof typeof SPANS;
export const SPAN_NAMES = ["15m", "1h", "6h", "24h", "7d", "30d"] as const satisfies readonly Span[];

/** The filter as a person chooses it: `last` is a span up to now, in place of `from` and `to`. */
export interface ChosenFilter extends ListFilter {
  last: Span | null;
}

export const NO_FILTER: ChosenFilter = {
  workflowId: null,
  status: null,
  trigger: null,
  last: null,
  from: null,
  to: null,
};

/** The filter with its span of time as of `now` (epoch ms). */
export function filterAt({ last, ...filter }: ChosenFilter, now: number): ListFilter {
  return last === null ? filter : { ...filter, from: new Date(now - SPANS[last]).toISOString(), to: null };
}

/** The filter in a URL's query. Invalid values are ignored. */
export function readFilter(query: URLSearchParams): ChosenFilter {
  const last = SPAN_NAMES.find((span) => span === query.get("last")) ?? null;
  return {
    workflowId: query.get("workflowId") || null,
    status: STATUSES.find((status) => status === query.get("status")) ?? null,
    trigger: triggerOf(query.get("trigger")),
    last,
    from: last === null ? instant(query.get("from")) : null,
    to: last === null ? instant(query.get("to")) : null,
  };
}

export function triggerOf(value: string | null): ExecutionTriggerType | null {
  return executionTriggerTypeSchema.options.find((type) => type === value) ?? null;
}

/** A URL's query with a part of the filter changed. Other parameters stay. */
export function changeFilter(query: URLSearchParams, change: Partial<ChosenFilter>): URLSearchParams {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(change)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  return next;
}

/** The value of a date-and-time field for an instant: the minute, in local time. */
export function toLocalField(at: string | null): string {
  if (at === null) return "";
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  // A year that is being typed is shorter for a moment, but the field takes four digits only.
  const day = `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The instant at which a field's minute begins or ends, or null for an empty field. */
export function fromLocalField(value: string, end: "begins" | "ends"): string | null {
  const at = value === "" ? Number.NaN : new Date(value).getTime();
  if (Number.isNaN(at)) return null;
  return new Date(end === "begins" ? at : at + 59_999).toISOString();
}

/** How many filters are set; the span of time counts once. */
export function countFilters({ workflowId, status, trigger, last, from, to }: ChosenFilter): number {
  const set = [workflowId, status, trigger, last ?? from ?? to];
  return set.filter((one) => one !== null).length;
}

function instant(value: string | null): string | null {
  const at = value === null ? Number.NaN : Date.parse(value);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
