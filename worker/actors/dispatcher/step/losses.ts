import { OFFLINE_AFTER_MS } from "../../../../schema/limits.ts";
import type { Effects } from "../events.ts";
import { goesOn, lossMessage, loseJob } from "../rules/lost-job.ts";
import type { Loss, LossCause } from "../rules/lost-job.ts";
import type { LiveJob } from "../state/live-job.ts";
import type { DispatcherState } from "../state/state.ts";
import { wake } from "./handler.ts";
import { begunBeforeLoss } from "./leases.ts";

/**
 * From when a job counts as lost (epoch ms; 0 for immediately), for the causes of docs/design/dispatch.md#lost-jobs.
 * Null for a job that no agent holds.
 */
export function lostFrom(state: DispatcherState, live: LiveJob): number | null {
  const cause = live.isReporting ? null : causeFor(state, live);
  return cause === null ? null : countsFrom(cause);
}

/** Gives up the jobs of one agent that are lost by now. A job whose result is being reported is not lost. */
export function loseJobsOf(state: DispatcherState, agentId: string, now: number, effects: Effects): void {
  const agent = state.agents.get(agentId);
  for (const { live } of state.jobs.heldBy(agentId)) {
    const cause = live.isReporting ? null : causeFor(state, live);
    if (cause === null || countsFrom(cause) > now) continue;
    const what = lossMessage(agent?.settings ?? { name: agentId, enabled: false }, cause, now);
    loseFrom(state, live, { agentId, loss: "gone", what, begunAt: begunBeforeLoss(live) }, now, effects);
    // The agent may hold the job after all, and then must stop it.
    if (agent !== undefined) wake(state, agent, effects, now);
  }
}

/** Loses one job. Counts as a failure of its agent, so that another one is the next healthiest. */
export function loseFrom(
  { jobs, agents }: DispatcherState,
  live: LiveJob,
  { agentId, loss, what, begunAt }: { agentId: string; loss: Loss; what: string; begunAt: number | null },
  now: number,
  effects: Effects,
): void {
  const { jobId, effect, kind } = live.job.facts;
  const isGivenAgain = goesOn(live.job);
  const message = `a job was lost with its agent${isGivenAgain ? " and is given out again" : ""}`;
  effects.warnings.push({ message, fields: { jobId, agentId, effect, loss, what } });
  jobs.change(live, loseJob(live.job, { loss, what, begunAt }, now));
  if (isGivenAgain && kind === "action") agents.get(agentId)?.outcomes.add(false, now);
}

function countsFrom(cause: LossCause): number {
  return "since" in cause ? cause.since + OFFLINE_AFTER_MS : 0;
}

/** Why the job is lost, or will be if the agent stays silent. */
function causeFor({ agents }: DispatcherState, { job: { stage }, lastReport }: LiveJob): LossCause | null {
  if (stage.type !== "delivered") return null;
  const agent = agents.member(stage.agentId);
  if (agent === undefined) return { type: "deleted" };
  if (agent.registration?.journalId !== stage.journalId) return { type: "other_journal" };
  const heardAt = agents.heardAt(agent);
  // The job is sent again with every poll that has room. After 90 s a lost answer is no explanation.
  const missedAt = lastReport?.lease === stage.lease ? lastReport.missedAt : null;
  return missedAt !== null && missedAt < heardAt
    ? { type: "not_held", since: missedAt }
    : { type: "silent", since: heardAt };
}
