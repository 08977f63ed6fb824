import type { ExecutionStatus } from "../../../schema/contract/execution.ts";
import type { ListFilter } from "./live-list.ts";

export const STATUSES = ["running", "succeeded", "failed", "cancelled"] as const satisfies readonly ExecutionStatus[];

/** The filter in a URL's query. Invalid values are ignored. */
export function readFilter(query: URLSearchParams): ListFilter {
  return {
    workflowId: query.get("workflowId") || null,
    status: STATUSES.find((status) => status === query.get("status")) ?? null,
    from: instant(query.get("from")),
    to: instant(query.get("to")),
  };
}

/** A URL's query with a part of the filter changed. Other parameters stay. */
export function changeFilter(query: URLSearchParams, change: Partial<ListFilter>): URLSearchParams {
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

export function isFiltered({ workflowId, status, from, to }: ListFilter): boolean {
  return workflowId !== null || status !== null || from !== null || to !== null;
}

function instant(value: string | null): string | null {
  const at = value === null ? Number.NaN : Date.parse(value);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
