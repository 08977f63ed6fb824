import type { AlertEvent } from "../../domain/alerts/event.ts";
import type { Position } from "../../store/alert-facts.ts";

/** Events in the order of their times, up to a limit. */
export interface EventPage {
  readonly events: readonly AlertEvent[];
  /** The last row that was read; null when there was none. */
  readonly last: Position | null;
  /** Whether there may be more rows. */
  readonly isFull: boolean;
}

export function toEventPage<Row extends { id: string; at: number }>(
  rows: readonly Row[],
  limit: number,
  eventsOf: (row: Row) => AlertEvent[],
): EventPage {
  const last = rows.at(-1);
  return {
    events: rows.flatMap(eventsOf),
    last: last === undefined ? null : { at: last.at, id: last.id },
    isFull: rows.length === limit,
  };
}
