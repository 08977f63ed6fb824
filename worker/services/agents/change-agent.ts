import { findAgent, markAgentPushed, reserveAgentEpoch, updateAgent } from "../../store/agents.ts";
import type { AgentChanges, AgentRow } from "../../store/agents.ts";
import { writeBatch } from "../../store/database.ts";
import type { Statement } from "../../store/database.ts";
import { isConflict } from "../../store/errors.ts";
import type { AuditEntry } from "../audit-record.ts";
import { recordIfChanged } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { requireRevision } from "../precondition.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { storeInOrder } from "../two-stores.ts";
import { retryOnConflict } from "../../actors/kit/retry-on-conflict.ts";
import { ProblemError } from "../problem.ts";
import { poolObjectOf } from "../objects.ts";
import type { AgentSettings } from "../../actors/dispatcher/index.ts";
import { reach } from "../unavailable.ts";
import { agentSettings, configureAgent, pushAgent } from "./push-agent.ts";

const NOTHING_CHANGED = "The agent's pool does not answer, so nothing was changed.";

export interface AgentChange {
  changes: AgentChanges;
  /** Statements for the same batch. */
  also?: readonly Statement[];
  audit: Pick<AuditEntry, "actor" | "verb" | "detail">;
}

/**
 * Changes an agent in libSQL and in its dispatcher, and returns the new row. `decide` gets the row and returns the
 * change, or null for none; it is called again when another writer was first. Only a row of an expected revision
 * changes.
 */
export async function changeAgent(
  deps: Deps,
  id: string,
  decide: (row: AgentRow) => AgentChange | null,
  expected: ExpectedRevisions = null,
): Promise<AgentRow> {
  return retryOnConflict("This agent", async () => {
    const row = await findAgent(deps.db, id);
    if (row === null) throw notFound("agent", id);
    requireRevision(expected, row.updatedAt);
    const change = decide(row);
    if (change === null) {
      if (row.epoch !== row.pushedEpoch) await pushAgent(deps, row);
      return row;
    }
    const next: AgentRow = {
      ...row,
      ...change.changes,
      // The row's revision: it rises even when two edits fall into one millisecond.
      updatedAt: Math.max(deps.now(), row.updatedAt + 1),
    };
    return (await store(deps, row, next, change)) ? next : null;
  });
}

async function store(
  deps: Deps,
  row: AgentRow,
  next: AgentRow,
  { changes, audit, also = [] }: AgentChange,
): Promise<boolean> {
  const moved = next.poolId !== row.poolId;
  // The dispatcher checks this again when it releases the agent. With the check here, a refusal writes nothing.
  if (moved) refuseWhileBusy(row, await heldBy(deps, row));
  const rekeyed = next.keyHash !== row.keyHash;
  const revokes = moved || next.deletedAt !== null || rekeyed || (row.enabled && !next.enabled);
  const grants = moved || (!revokes && (next.enabled !== row.enabled || next.name !== row.name));
  return storeInOrder({
    seen: row,
    revoke: revokes
      ? (epoch) => {
          const settings = agentSettings(next, epoch);
          if (moved) return takeFromPool(deps, row, { ...settings, removed: true });
          return configureAgent(deps, row, { ...settings, rekeyed }, NOTHING_CHANGED);
        }
      : null,
    grant: grants
      ? (epoch) =>
          configureAgent(deps, next, agentSettings(next, epoch), "Saved, but the agent's pool does not answer.")
      : null,
    reserve: (epoch) => reserveAgentEpoch(deps.db, row, epoch),
    commit: async ({ expectedEpoch, epoch, pushedEpoch }) => {
      const seen = { ...row, epoch: expectedEpoch };
      try {
        await writeBatch(deps.db, [
          updateAgent(deps.db, seen, { ...changes, epoch, pushedEpoch, updatedAt: next.updatedAt }),
          recordIfChanged(deps, { ...audit, subjectType: "agent", subjectId: row.id }),
          ...also,
        ]);
        return true;
      } catch (error) {
        if (isConflict(error)) return false;
        throw error;
      }
    },
    markPushed: (epoch) => markAgentPushed(deps.db, row.id, epoch),
  });
}

/** Only the dispatcher knows the leases that it has given: an agent that holds any stays there. */
async function takeFromPool(deps: Deps, row: AgentRow, settings: AgentSettings): Promise<void> {
  const poolObject = poolObjectOf(row);
  const dispatcher = deps.objects.dispatcher(poolObject);
  refuseWhileBusy(row, await reach(NOTHING_CHANGED, () => dispatcher.configureAgent(settings, true)));
}

async function heldBy(deps: Deps, row: AgentRow): Promise<number> {
  const [presence] = await reach(NOTHING_CHANGED, () => deps.objects.dispatcher(poolObjectOf(row)).presence([row.id]));
  return presence?.runningJobs ?? 0;
}

function refuseWhileBusy({ name, enabled }: AgentRow, heldJobs: number): void {
  if (heldJobs === 0) return;
  const held = heldJobs === 1 ? "a job" : `${heldJobs} jobs`;
  const wait = enabled ? "Disable it, wait" : "Wait";
  throw new ProblemError(
    "conflict",
    `The agent ${name} holds ${held}, and an agent that holds jobs cannot be moved to another pool. ${wait} until it has finished, then move it. Or cancel its executions.`,
  );
}
