import type { ExecutionStatus, JobStatus } from "../../schema/contract/execution.ts";
import type { SuppressedAs } from "../../schema/contract/maintenance.ts";
import type { DeliveryRefusal } from "../../schema/contract/webhook-delivery.ts";
import { totals } from "../../schema/tables/index.ts";
import type { Statement } from "./database.ts";
import { insertRows } from "./fixed-statements.ts";

/** What became of an execution's trace. */
export const TRACE_ENDS = ["sent", "refused", "overflowed", "unreadable"] as const;
type TraceEnd = (typeof TRACE_ENDS)[number];

/** What became of an alert of an integration. Those that changed nothing cost no write, and are not counted. */
export const ALERT_TOTALS = ["created", "updated", "acknowledged", "resolved", "rejected"] as const;
type AlertTotal = (typeof ALERT_TOTALS)[number];

/** A delivery of a webhook that started nothing. */
export type DeliveryTotal = `deliveries:${"repeated" | DeliveryRefusal}`;

/** The names of the counters; see `schema/tables/totals.ts`. */
export type TotalName =
  | `executions:${ExecutionStatus}`
  | `jobs:${JobStatus}`
  | `suppressed:${SuppressedAs}`
  | "missedRuns"
  | "queueFull"
  | "skippedBusy"
  | "superseded"
  | "limitReached"
  | `targetRefused:${"service" | "agent"}`
  | "batches"
  | "eventsJoined"
  | DeliveryTotal
  | `alerts:${AlertTotal}`
  | `traces:${TraceEnd}`
  | `spans:${"sent" | "rejected"}`;

/** Adds to totals, in the batch that records the counted events. One statement at most. */
export function addTotals(additions: readonly (readonly [TotalName, number])[]): Statement[] {
  const sums = new Map<TotalName, number>();
  for (const [name, value] of additions) sums.set(name, (sums.get(name) ?? 0) + value);
  const rows = [...sums].filter(([, value]) => value > 0).map(([name, value]) => ({ name, value }));
  if (rows.length === 0) return [];
  return [insertRows(totals, rows, "on conflict (name) do update set value = value + excluded.value")];
}
