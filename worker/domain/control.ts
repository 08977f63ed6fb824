import type { Waiting } from "../../schema/contract/waiting.ts";
import { actorName } from "./actor-name.ts";
import { shownTime } from "./shown-time.ts";

/** A pause of the whole deployment. */
export interface Pause {
  /** The actor, as in the audit log. */
  readonly by: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly reason: string;
}

/** The state of the deployment's control object (docs/design/dispatch.md#pause). */
export interface ControlState {
  readonly pause: Pause | null;
  /** When the last pause ended (epoch ms); null when there was none. Waiting jobs get their whole time limit again. */
  readonly resumedAt: number | null;
}

export const NOT_PAUSED: ControlState = { pause: null, resumedAt: null };

/** A second pause replaces the reason of the first one. */
export function pause({ pause: before, resumedAt }: ControlState, next: Pause): ControlState {
  return { pause: { ...next, at: before?.at ?? next.at }, resumedAt };
}

export function resume(state: ControlState, now: number): ControlState {
  return state.pause === null ? state : { pause: null, resumedAt: now };
}

/** Why a job waits during a pause. */
export function pausedReason({ by, at, reason }: Pause): Waiting & { readonly code: "paused" } {
  return { code: "paused", detail: `All runs have been paused by ${actorName(by)} since ${shownTime(at)}: ${reason}` };
}
