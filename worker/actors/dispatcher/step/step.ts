import type { Answer, Effects, Event, EventType } from "../events.ts";
import type { DispatcherState } from "../state/state.ts";
import {
  heartbeatReceived,
  polled,
  registered,
  resultsReported,
  socketClosed,
  socketOpened,
  wentOffline,
} from "./agent-calls.ts";
import { waitingReviewed } from "./connections.ts";
import { controlRead } from "./control.ts";
import { connectionsRead } from "./deliveries.ts";
import type { Handler } from "./handler.ts";
import { agentConfigured, cancelRequested, connectionEdited, enqueued } from "./orders.ts";
import { reconcile } from "./reconcile.ts";
import { alarmFired, heartbeatsNotRecorded } from "./alarm-tasks.ts";
import { credentialsRecorded, endReported, resultNotReported } from "./reports.ts";

const HANDLERS: { readonly [T in EventType]: Handler<T> } = {
  registered,
  polled,
  heartbeatReceived,
  resultsReported,
  wentOffline,
  socketOpened,
  socketClosed,
  agentConfigured,
  enqueued,
  cancelRequested,
  controlRead,
  connectionEdited,
  connectionsRead,
  waitingReviewed,
  endReported,
  resultNotReported,
  credentialsRecorded,
  heartbeatsNotRecorded,
  alarmFired,
};

/** Applies an event at `now` (epoch ms). The only writer of the state. Effects run once the changes are stored. */
export function step<T extends EventType>(
  state: DispatcherState,
  event: Event<T>,
  now: number,
): { answer: Answer<T>; effects: Effects } {
  state.now = now;
  const effects: Effects = {
    wake: new Set(),
    closeSockets: new Set(),
    review: null,
    readControl: false,
    heartbeats: null,
    warnings: [],
  };
  state.agents.closing = effects.closeSockets;
  const handle: Handler<T> = HANDLERS[event.type];
  const answer = handle(state, event, now, effects);
  reconcile(state, now, effects);
  const taken = { answer: answer(), effects };
  state.agents.closing = new Set();
  return taken;
}
