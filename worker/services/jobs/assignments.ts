import type { Assignment, LostAssignment, Timeline } from "../../../schema/contract/execution.ts";
import { findAgentNames } from "../../store/agents.ts";
import type { Deps } from "../deps.ts";

interface Given {
  lost: readonly LostAssignment[];
  /** The agent that has the job, or had it last. */
  agentId: string | null;
  timeline: Timeline;
}

/** Every agent that had each of these jobs, with the agents' current names. */
export async function assignmentsOf(deps: Deps, given: readonly Given[]): Promise<Assignment[][]> {
  const all = given.map(withoutNames);
  const names = await findAgentNames(deps.db, [...new Set(all.flat().map((one) => one.agentId))]);
  return all.map((ofJob) =>
    ofJob.map((one, index) => ({ ...one, agentName: names.get(one.agentId) ?? null, attempt: index + 1 })),
  );
}

function withoutNames({ lost, agentId, timeline }: Given): Omit<Assignment, "agentName" | "attempt">[] {
  const former = lost.map(({ deliveredAt, startedAt, lostAt, ...rest }) => ({
    ...rest,
    deliveredAt: new Date(deliveredAt).toISOString(),
    startedAt: startedAt === null ? null : new Date(startedAt).toISOString(),
    lostAt: new Date(lostAt).toISOString(),
  }));
  const { deliveredAt, startedAt } = timeline;
  // A job that is lost for good shows the times of the agent that lost it.
  const isOver = deliveredAt === null || deliveredAt === former.at(-1)?.deliveredAt;
  const last = agentId === null || isOver ? [] : [{ agentId, deliveredAt, startedAt, lostAt: null, why: null }];
  return [...former, ...last];
}
