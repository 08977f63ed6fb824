import { LOST_TIMES_MAX, OFFLINE_AFTER_MS } from "../../../../schema/limits.ts";
import { endJob, lostHere, queueAgain } from "./job.ts";
import type { JobFacts, DispatchJob } from "./job.ts";

/** How a job was lost: its agent is gone, or its agent restarted and reported that it had begun the job. */
export type Loss = "gone" | "interrupted";

/**
 * Why a job counts as lost. `since` (epoch ms): when the agent was last heard, or first reported not to hold the job.
 */
export type LossCause =
  | { readonly type: "deleted" | "other_journal" }
  | { readonly type: "silent" | "not_held"; readonly since: number };

/** A sentence about the loss that names the agent and what to check there. */
export function lossMessage(agent: { name: string; enabled: boolean }, cause: LossCause, now: number): string {
  const { name, enabled } = agent;
  switch (cause.type) {
    case "deleted":
      return `Agent ${name}, which had the job, was deleted.`;
    case "other_journal":
      return `Agent ${name} came back without its journal. Keep its data directory when you reinstall it.`;
    case "silent":
      return `Agent ${name} was silent for ${seconds(now - cause.since)}. Run bellhop-agent doctor on its machine to find out why.`;
    case "not_held":
      return `Agent ${name} has reported for ${seconds(now - cause.since)} that it does not have the job. ${
        enabled ? "Its log shows why." : "The agent is disabled, so the job was not sent again."
      }`;
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

/**
 * Decides what follows when a job is lost (invariant 5, docs/design/dispatch.md#lost-jobs): back into the queue, or
 * failed with `agent_lost` and `what` happened (`lossMessage`). `begunAt` is when the job began there (epoch ms), if it
 * did.
 */
export function loseJob(
  held: DispatchJob,
  { loss, what, begunAt }: { loss: Loss; what: string; begunAt: number | null },
  now: number,
): DispatchJob {
  const job = lostHere(held, { startedAt: begunAt, why: what }, now);
  if (!goesOn(job)) return endJob(job, "agent_lost", now, lostTooOften(job.facts) ? `${what} ${LOST_OFTEN}` : what);
  const { lost = 0, interrupted = 0 } = job.facts;
  const lostBy = job.stage.type === "delivered" ? job.stage.agentId : undefined;
  const again = { lost: lost + 1, interrupted: interrupted + (loss === "interrupted" ? 1 : 0), lostAt: now, lostBy };
  return queueAgain({ ...job, facts: { ...job.facts, ...again } });
}

/** Whether a lost job is given to an agent again. */
export function goesOn({ facts, stage }: DispatchJob): boolean {
  // No one waits for the result of a cancelled job. What it has done so far stays unknown.
  if (stage.type === "delivered" && stage.cancelRequested) return false;
  return mayRunAgain(facts) && !lostTooOften(facts);
}

/** A sentence about what will happen to the job if its agent stays silent. */
export function lossAhead(job: DispatchJob): string {
  const lost = `After ${seconds(OFFLINE_AFTER_MS)} of silence the job counts as lost`;
  const { kind, pinnedAgentId } = job.facts;
  if (kind === "credentialSync") return `${lost}.`;
  if (!goesOn(job)) return `${lost} and fails, because its progress is unknown.`;
  return `${lost} and is run again${pinnedAgentId === null ? ", by any agent that can take it" : ", when its agent is back"}.`;
}

/** By effect and `onAgentLost` (docs/design/dispatch.md#lost-jobs). A lost credential sync is ordered from its row. */
function mayRunAgain({ kind, effect, onAgentLost }: JobFacts): boolean {
  if (kind === "credentialSync") return false;
  return effect === "unsafe" ? onAgentLost === "retry" : onAgentLost !== "fail";
}

/** A job that brings down every agent that runs it must not circulate for ever. */
function lostTooOften({ lost = 0 }: JobFacts): boolean {
  return lost >= LOST_TIMES_MAX;
}

const LOST_OFTEN = `It was given to an agent ${LOST_TIMES_MAX + 1} times and lost each time. Check whether it makes the agent crash.`;
