import type { Answers, Effects, Event, EventType } from "../events.ts";
import type { DispatcherState } from "../state/state.ts";

/** Applies an event, and gives what computes the answer to it from the state after `reconcile`. */
export type Handler<T extends EventType> = (
  state: DispatcherState,
  event: Event<T>,
  now: number,
  effects: Effects,
) => () => Answers[T];
