import type { Effects } from "../events.ts";
import type { Agent } from "../state/agent.ts";

export function noEffects(): Effects {
  return { wake: new Set(), closeSockets: new Set(), review: null, heartbeats: null, warnings: [] };
}

/** Tells an agent to poll at once. */
export function wake(agent: Agent, effects: Effects, now: number): void {
  effects.wake.add(agent.settings.agentId);
  agent.wokenAt ??= now;
  agent.lastWakeAt = now;
}
