import type { Effects } from "../events.ts";
import type { Agent } from "../state/agent.ts";
import type { DispatcherState } from "../state/state.ts";

export function noEffects(): Effects {
  return { wake: new Set(), closeSockets: new Set(), review: null, heartbeats: null, warnings: [] };
}

/** Tells an agent to poll at once, if it has a wake socket. */
export function wake({ agents }: DispatcherState, agent: Agent, effects: Effects, now: number): void {
  if (agents.socketHeardAt(agent) === null) return;
  effects.wake.add(agent.settings.agentId);
  agent.wokenAt ??= now;
  agent.lastWakeAt = now;
}
