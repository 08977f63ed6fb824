import type { MantineColor } from "@mantine/core";
import type { NODE_OUTCOMES, NodeType, Outcome } from "../../schema/contract/workflow.ts";

/** The outcomes of each type of node. The type keeps them equal to the contract's without loading its schemas. */
export const OUTCOMES: typeof NODE_OUTCOMES = {
  action: ["success", "failure"],
  condition: ["true", "false"],
  forEach: ["success", "failure"],
  delay: ["success"],
  approval: ["approved", "rejected"],
  workflow: ["success", "failure"],
  errorHandler: ["success"],
};

/** Never shown without the outcome's label. */
export const OUTCOME_COLORS: Record<Outcome, MantineColor> = {
  success: "teal",
  true: "teal",
  approved: "teal",
  failure: "red",
  rejected: "red",
  false: "orange",
};

/**
 * The outcomes with an edge, in their fixed order. Earlier versions saved failure edges of an errorHandler: these are
 * drawn as well.
 */
export function outcomesInUse(type: NodeType, used: ReadonlySet<Outcome>): Outcome[] {
  return [...new Set<Outcome>([...OUTCOMES[type], ...used])].filter((outcome) => used.has(outcome));
}

/** The position of an outcome's handle along the node's lower side, in percent. */
export function outcomeAt(outcomes: readonly Outcome[], outcome: Outcome): number {
  const index = outcomes.indexOf(outcome);
  return outcomes.length === 1 || index === -1 ? 50 : 28 + (index * 44) / (outcomes.length - 1);
}
