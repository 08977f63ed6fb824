import type { Answer, Effects, Event, EventType } from "../events.ts";
import type { Agent } from "../state/agent.ts";
import type { DispatcherState } from "../state/state.ts";

/** Applies an event. Returns a function that computes the answer from the state after `reconcile`. */
export type Handler<T extends EventType> = (
  state: DispatcherState,
  event: Event<T>,
  now: number,
  effects: Effects,
) => () => Answer<T>;

/** Asks an agent to poll now, if it has a wake socket. */
export function wake({ agents }: DispatcherState, agent: Agent, effects: Effects, now: number): void {
  if (agents.socketHeardAt(agent) === null) return;
  effects.wake.add(agent.settings.agentId);
  agent.wokenAt ??= now;
  agent.lastWakeAt = now;
}
