import type { Assignment, Timeline } from "../../../schema/contract/execution.ts";
import { executionSteps } from "../../strings/en/execution-steps.ts";

export type StageName = "queued" | "assigned" | "delivered" | "started" | "finished" | "reported" | "lost";

/** A stage that was reached, and the time until the next stage. */
export interface Stage {
  name: StageName;
  at: string;
  /** Milliseconds until the next stage or until now; null for the last stage. */
  ms: number | null;
  /** The activity in this time. */
  activity: string;
  /** The agent that got the job, or the reason it was lost. */
  note?: string;
}

/** A stage and when it was reached. */
interface Reached {
  name: StageName;
  at: string;
  note?: string;
}

const STAGES = ["queued", "assigned", "delivered", "started", "finished", "reported"] as const;

const text = executionSteps.stages;

/**
 * The stages that a node run has reached. While it runs, the last stage lasts until `now` (epoch ms). A node without
 * a job only starts and finishes; `doing` is its activity. `assignments` are the agents that had the job: the stages of
 * those that lost it come first.
 */
export function stagesOf(
  timeline: Timeline,
  now: number | null,
  doing: string | null,
  assignments: readonly Assignment[] = [],
): Stage[] {
  const names = doing === null ? STAGES : (["started", "finished"] as const);
  const former = assignments.filter(({ deliveredAt }) => deliveredAt !== timeline.deliveredAt);
  const last = assignments.find(({ deliveredAt }) => deliveredAt === timeline.deliveredAt);
  const own = names.flatMap((name): Reached[] => {
    const at = timeline[`${name}At`];
    if (at === null) return [];
    return name === "delivered" && former.length > 0 && last !== undefined
      ? [{ name, at, note: text.to(nameOf(last)) }]
      : [{ name, at }];
  });
  const first = own.filter(({ name }) => name === "queued");
  const reached = [...first, ...former.flatMap(stagesWith), ...own.slice(first.length)];
  return reached.map(({ name, at, note }, index) => {
    const next = reached[index + 1];
    const until = next === undefined ? now : Date.parse(next.at);
    // The clocks of agents differ slightly from the service's: no duration is below 0.
    return {
      name,
      at,
      ms: until === null ? null : Math.max(0, until - Date.parse(at)),
      activity: activityOf(name, { next: next?.name, isRunning: now !== null, doing }),
      ...(note === undefined ? {} : { note }),
    };
  });
}

/** The stages of the job with an agent that lost it. */
function stagesWith(assignment: Assignment): Reached[] {
  const { deliveredAt, startedAt, lostAt, why } = assignment;
  return [
    { name: "delivered", at: deliveredAt, note: text.to(nameOf(assignment)) },
    ...(startedAt === null ? [] : [{ name: "started" as const, at: startedAt }]),
    ...(lostAt === null ? [] : [{ name: "lost" as const, at: lostAt, ...(why === null ? {} : { note: why }) }]),
  ];
}

function nameOf({ agentId, agentName }: Assignment): string {
  return agentName ?? agentId;
}

function activityOf(
  name: StageName,
  { next, isRunning, doing }: { next: StageName | undefined; isRunning: boolean; doing: string | null },
): string {
  const activities: Record<StageName, string> = text.activities;
  if (name === "started" && doing !== null) return doing;
  if (name !== "delivered" || next === "started") return activities[name];
  if (next === "lost") return text.lostUnstarted;
  return next === undefined && isRunning ? text.startUnreported : text.neverReported;
}

/** The width of each stage in percent of the whole, with a minimum so that a short stage stays visible. */
export function widthsOf(stages: readonly Stage[]): number[] {
  const WIDTH_MIN = 1.5;
  const total = stages.reduce((sum, { ms }) => sum + (ms ?? 0), 0);
  if (total === 0) return stages.map(() => 0);
  const wanted = stages.map(({ ms }) => (ms === null ? 0 : Math.max(WIDTH_MIN, (ms / total) * 100)));
  const sum = wanted.reduce((all, width) => all + width, 0);
  return wanted.map((width) => (width / sum) * 100);
}
