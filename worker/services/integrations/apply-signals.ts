import type { DeliveryResult } from "../../../schema/contract/integration.ts";
import type { Signal } from "../../domain/incident/signal.ts";
import type { IncidentEventRow } from "../../store/incident-events.ts";
import type { IntegrationRow } from "../../store/integrations.ts";
import type { Deps } from "../deps.ts";
import { applySignal } from "./apply-signal.ts";
import { lookUp } from "./look-up.ts";

/** The platform lets a Worker have six requests under way. */
const AT_ONCE = 5;

/** A signal and its place in the delivery. */
export interface PlacedSignal {
  index: number;
  signal: Signal;
}

/**
 * Applies the signals of a delivery: those of one key in their order, others beside them. `emit` is told of every event
 * that was committed, also when a later signal fails: then the delivery is sent again, and what was done is done.
 */
export async function applySignals(
  deps: Deps,
  integration: IntegrationRow,
  signals: readonly PlacedSignal[],
  emit: (event: IncidentEventRow) => void,
): Promise<DeliveryResult[]> {
  if (signals.length === 0) return [];
  const seen = await lookUp(
    deps,
    integration.id,
    signals.map(({ signal }) => signal),
  );
  const results: DeliveryResult[] = [];
  const groups = [...Map.groupBy(signals, ({ signal }) => signal.dedupKey).values()];
  const work = async () => {
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      for (const [position, { index, signal }] of group.entries()) {
        // What was read for all of them is old once the first of a key was applied.
        const { event, ...result } = await applySignal(deps, integration, signal, position === 0 ? seen(signal) : null);
        if (event !== null) emit(event);
        results.push({ index, ...result });
      }
    }
  };
  // All are waited for: what one still does when another fails must be told as well.
  const outcomes = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  return results;
}
