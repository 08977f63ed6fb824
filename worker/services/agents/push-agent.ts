import { agentsBehind, markAgentPushed, reserveAgentEpoch } from "../../store/agents.ts";
import type { AgentRow } from "../../store/agents.ts";
import { failureMessage } from "../../store/errors.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import { poolObjectOf } from "../objects.ts";
import type { AgentSettings } from "../../actors/dispatcher/index.ts";
import { storeInOrder } from "../two-stores.ts";
import { reach } from "../unavailable.ts";

/** An agent's settings for its dispatcher, under an epoch that only this change has. */
export function agentSettings(row: AgentRow, epoch: number): AgentSettings {
  return { agentId: row.id, name: row.name, epoch, enabled: row.enabled, removed: row.deletedAt !== null };
}

/** Sends the settings to the dispatcher that `row` names. */
export async function configureAgent(deps: Deps, row: AgentRow, settings: AgentSettings, said: string): Promise<void> {
  const poolObject = poolObjectOf(row);
  await reach(said, () => deps.objects.dispatcher(poolObject).configureAgent(settings));
}

/** Sends libSQL's settings to an agent's dispatcher again. Does nothing when another writer is changing the agent. */
export async function pushAgent(deps: Deps, row: AgentRow): Promise<void> {
  await storeInOrder({
    seen: row,
    revoke: null,
    grant: (epoch) => configureAgent(deps, row, agentSettings(row, epoch), "The agent's pool does not answer."),
    reserve: (epoch) => reserveAgentEpoch(deps.db, row, epoch),
    commit: ({ epoch }) => reserveAgentEpoch(deps.db, row, epoch),
    markPushed: (epoch) => markAgentPushed(deps.db, row.id, epoch),
  });
}

/** The sweeper's part: every agent whose dispatcher may hold other settings. */
export async function pushBehindAgents(deps: Deps, limit: number): Promise<void> {
  for (const row of await agentsBehind(deps.db, limit)) {
    try {
      await pushAgent(deps, row);
    } catch (error) {
      logWarning("an agent's pool could not be notified of a change; it is tried again in a minute", {
        agentId: row.id,
        error: failureMessage(error),
      });
    }
  }
}
