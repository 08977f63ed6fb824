import type { JobReport } from "../../../domain/job-order.ts";
import { isAgentJob, showResult } from "../rules/job.ts";
import type { JobFacts } from "../rules/job.ts";
import { pruneAtOf } from "../state/state.ts";
import { noteUnusable, reviewBy } from "./connections.ts";
import type { Handler } from "./handler.ts";

/** The run has committed how a job ended: the lease is released, and the job leaves the table. */
export const endReported: Handler<"endReported"> = (state, { live, end }, now) => {
  const { report, lease, by } = end;
  const { facts } = live.job;
  const { agentId } = report;
  const succeeded = countedAs(facts, report);
  state.jobs.finish(live, {
    jobId: facts.jobId,
    attempt: facts.attempt,
    lease,
    agentId,
    reroutes: facts.reroutes ?? 0,
    by: report.reroute === undefined ? by : "rerouted",
    succeeded,
    finishedAt: now,
  });
  state.timers.pruneAt ??= pruneAtOf(now);
  const agent = agentId === null ? undefined : state.agents.get(agentId);
  if (agent === undefined) return () => {};
  if (succeeded !== null) agent.outcomes.add(succeeded, now);
  agent.lastBusyAt = now;
  if (agent.reportedRoom !== null && lease !== null) agent.reportedRoom += 1;
  state.changed.add(agent.settings.agentId);
  return () => {};
};

/** The agent keeps the result and sends it again. */
export const resultNotReported: Handler<"resultNotReported"> = ({ agents, jobs }, { live }, now) => {
  const { stage } = live.job;
  const agent = stage.type === "delivered" ? agents.get(stage.agentId) : undefined;
  // Until now the agent waited for the answer to its call.
  if (agent !== undefined) agents.heard(agent, "results", now);
  jobs.setReporting(live, false);
  jobs.change(live, showResult(live.job));
  return () => {};
};

export const credentialsRecorded: Handler<"credentialsRecorded"> = (state, event, now) => {
  const { agentId, reported, recorded } = event;
  const agent = state.agents.get(agentId);
  if (agent === undefined) return () => {};
  state.agents.credentialsRecorded(agent, reported);
  if (agent.credentials === reported) noteUnusable(state, agent, new Set(recorded.unusable));
  state.jobs.insert(recorded.orders.filter(isAgentJob));
  // Syncs for an agent that left meanwhile end here, and are ordered again where the agent is now.
  if (agent.settings.removed && recorded.orders.length > 0) reviewBy(state.timers, now);
  return () => {};
};

/** Finished action jobs count for the agent that ran them; cancelled ones do not. */
function countedAs({ kind }: JobFacts, { agentId, status }: JobReport): boolean | null {
  if (kind !== "action" || agentId === null || status === "cancelled") return null;
  return status === "succeeded";
}
