import type { Holder } from "./shell-flows.ts";
import type { NumberEvent } from "./shell-number-events.ts";

/** What is known to be a number where a script has come to; null where it never comes. */
export type Known = ReadonlySet<Holder> | null;

/** The same after a command that succeeded, and after one that failed. */
export interface Outcome {
  readonly yes: Known;
  readonly no: Known;
}

export const NOTHING: ReadonlySet<Holder> = new Set();

export function both(known: Known): Outcome {
  return { yes: known, no: known };
}

export function join({ yes, no }: Outcome): Known {
  return meet(yes, no);
}

/** What is known after two ways have met. */
export function meet(one: Known, other: Known): Known {
  if (one === null || other === null) return one ?? other;
  return one === other ? one : new Set([...one].filter((holder) => other.has(holder)));
}

export function add(known: Known, holders: readonly Holder[]): Known {
  return known === null || holders.length === 0 ? known : new Set([...known, ...holders]);
}

export function without(known: Known, holders: ReadonlySet<Holder>): Known {
  return known === null ? null : new Set([...known].filter((holder) => !holders.has(holder)));
}

export function assign(known: Known, { to, is }: NumberEvent & { type: "assign" }): Known {
  const isNumber = is === "number" || (is !== "anything" && known?.has(is.from) === true);
  return isNumber ? add(known, [to]) : without(known, new Set([to]));
}

export function assignedIn(events: readonly NumberEvent[]): ReadonlySet<Holder> {
  return new Set(events.flatMap((event) => (event.type === "assign" ? [event.to] : [])));
}
