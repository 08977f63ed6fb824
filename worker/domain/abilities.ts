import { PROTOCOL_1_ACTIONS } from "../../schema/contract/agent-actions.ts";
import type { AgentFeature } from "../../schema/contract/agent.ts";

/** The service sends notifications itself, so no agent registers their action. */
const IN_THE_SERVICE = "notification.sendNotification";

/** What an agent can do, as it registered. */
export interface Abilities {
  /** Beyond protocol 1. */
  readonly features?: readonly string[] | undefined;
  /** Absent for an agent that can run the actions of protocol 1, as almost all can: a dispatcher keeps thousands. */
  readonly actions?: ActionsBeside | undefined;
  /** The connection types that it can test; absent for an agent of protocol 1 alone. */
  readonly types?: readonly string[] | undefined;
}

/** How an agent's actions differ from `PROTOCOL_1_ACTIONS`. */
export interface ActionsBeside {
  readonly more: readonly string[];
  readonly less: readonly string[];
}

/** What a job asks of an agent's version. */
export interface Asks {
  readonly action?: string | null | undefined;
  /** The type of the connection that the job tests. */
  readonly testedType?: string | undefined;
  readonly features?: readonly AgentFeature[] | undefined;
}

export type Inability = "no_action" | "no_feature";

/** Why an agent of this version cannot do a job; null when it can. */
export function inabilityFor({ action, testedType, features = [] }: Asks, has: Abilities): Inability | null {
  if (action != null && !canRun(action, has)) return "no_action";
  if (testedType !== undefined && has.types?.includes(testedType) === false) return "no_action";
  return features.every((feature) => has.features?.includes(feature)) ? null : "no_feature";
}

/** The same for jobs that ask for the same. */
export function keyOfAsks({ action, testedType, features = [] }: Asks): string {
  return [action ?? testedType ?? "", ...features].join();
}

/** Undefined for an agent that has the actions of protocol 1, by its registration or because it registered none. */
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
