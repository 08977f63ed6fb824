import type { DeliveryResult } from "../../../schema/contract/integration.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import type { Signal } from "../../domain/incident/signal.ts";
import type { IncidentEventRow } from "../../store/incident-events.ts";
import { writeBatch } from "../../store/database.ts";
import { addTotals } from "../../store/totals.ts";
import type { IntegrationRow } from "../../store/integrations.ts";
import type { Deps } from "../deps.ts";
import { invalidInput } from "../parse.ts";
import { applySignals } from "./apply-signals.ts";

export type { IntegrationRow as Integration };

/** One alert or event of a delivery, or its errors. */
export type Read = { ok: true; signal: Signal } | { ok: false; errors: FieldError[] };

/**
 * Applies a delivery. Alerts that cannot be read do not hold back the others; the result reports each at its place.
 * Throws `invalid_request` when none can be read, so that a source that sends something else gets an error.
 */
export async function receive(
  deps: Deps,
  integration: IntegrationRow,
  delivery: readonly Read[],
  emit: (event: IncidentEventRow) => void,
): Promise<DeliveryResult[]> {
  const errors = delivery.flatMap((read) => (read.ok ? [] : read.errors));
  const wrong = delivery.filter((read) => !read.ok).length;
  await countRejected(deps, wrong);
  if (errors.length > 0 && delivery.every((read) => !read.ok)) throw invalidInput(errors);
  const signals = delivery.flatMap((read, index) => (read.ok ? [{ index, signal: read.signal }] : []));
  const rejected = delivery.flatMap((read, index): DeliveryResult[] =>
    read.ok
      ? []
      : [{ index, outcome: "rejected", incidentId: null, detail: read.errors.map(fieldErrorMessage).join("; ") }],
  );
  const applied = await applySignals(deps, integration, signals, emit);
  return [...applied, ...rejected].sort((a, b) => a.index - b.index);
}

/** Counts alerts that cannot be read, for `/metrics`. */
export async function countRejected({ db }: Deps, number: number): Promise<void> {
  if (number > 0) await writeBatch(db, addTotals([["alerts:rejected", number]]));
}

/** For answers without a field for paths: `payload.summary is required`. */
export function fieldErrorMessage({ path, message }: FieldError): string {
  return path === "" ? message : `${path} ${message}`;
}
