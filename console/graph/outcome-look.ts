import type { MantineColor } from "@mantine/core";
import type { NODE_OUTCOMES, NodeType, Outcome } from "../../schema/contract/workflow.ts";

/** By which outcomes each type of node leaves: the contract's own, held to it by its type, without loading its schemas. */
export const OUTCOMES: typeof NODE_OUTCOMES = {
  action: ["success", "failure"],
  condition: ["true", "false"],
  forEach: ["success", "failure"],
  delay: ["success"],
  approval: ["approved", "rejected"],
  workflow: ["success", "failure"],
  errorHandler: ["success"],
};

/** Always beside its word. */
export const OUTCOME_COLORS: Record<Outcome, MantineColor> = {
  success: "teal",
  true: "teal",
  approved: "teal",
  failure: "red",
  rejected: "red",
  false: "orange",
};

/**
 * Those by which some edge leaves, in the order in which they always stand. Earlier versions saved failure edges of an
 * errorHandler: these are drawn, too.
 */
export function outcomesInUse(type: NodeType, used: ReadonlySet<Outcome>): Outcome[] {
  return [...new Set<Outcome>([...OUTCOMES[type], ...used])].filter((outcome) => used.has(outcome));
}

/** Where along a node's lower side an outcome leaves, in percent. */
export function outcomeAt(outcomes: readonly Outcome[], outcome: Outcome): number {
  const index = outcomes.indexOf(outcome);
  return outcomes.length === 1 || index === -1 ? 50 : 28 + (index * 44) / (outcomes.length - 1);
}
