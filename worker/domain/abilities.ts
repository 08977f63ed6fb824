import { PROTOCOL_1_ACTIONS } from "../../schema/contract/agent-actions.ts";
import type { AgentFeature } from "../../schema/contract/agent.ts";

/** The service sends notifications itself, so no agent registers their action. */
const IN_THE_SERVICE = "notification.sendNotification";

/** An agent's abilities, from its registration. */
export interface Abilities {
  /** Beyond protocol 1. */
  readonly features?: readonly string[] | undefined;
  /** Absent for an agent with exactly the actions of protocol 1, as almost all have: a dispatcher keeps thousands. */
  readonly actions?: ActionsBeside | undefined;
  /** The connection types that it can test; absent for an agent that only speaks protocol 1. */
  readonly types?: readonly string[] | undefined;
}

/** How an agent's actions differ from `PROTOCOL_1_ACTIONS`. */
export interface ActionsBeside {
  readonly more: readonly string[];
  readonly less: readonly string[];
}

/** A job's requirements on an agent's version. */
export interface Asks {
  readonly action?: string | null | undefined;
  /** The type of the connection that the job tests. */
  readonly testedType?: string | undefined;
  readonly features?: readonly AgentFeature[] | undefined;
}

export type Inability = "no_action" | "no_feature";

/** The reason why an agent of this version cannot do a job; null when it can. */
export function inabilityFor({ action, testedType, features = [] }: Asks, has: Abilities): Inability | null {
  if (action != null && !canRun(action, has)) return "no_action";
  if (testedType !== undefined && has.types?.includes(testedType) === false) return "no_action";
  return features.every((feature) => has.features?.includes(feature)) ? null : "no_feature";
}

/** The same key for jobs with the same requirements. */
export function keyOfAsks({ action, testedType, features = [] }: Asks): string {
  return [action ?? testedType ?? "", ...features].join();
}

/** Undefined for an agent with the actions of protocol 1, registered or assumed because it registered none. */
export function actionsBeside(registered: readonly string[] | undefined): ActionsBeside | undefined {
  if (registered === undefined) return undefined;
  const more = registered.filter((action) => !PROTOCOL_1_ACTIONS.includes(action));
  const less = PROTOCOL_1_ACTIONS.filter((action) => action !== IN_THE_SERVICE && !registered.includes(action));
  return more.length + less.length === 0 ? undefined : { more, less };
}

function canRun(action: string, { actions }: Abilities): boolean {
  if (PROTOCOL_1_ACTIONS.includes(action)) return actions?.less.includes(action) !== true;
  return actions?.more.includes(action) === true;
}
