import type { Timeline } from "../../../schema/contract/execution.ts";

export type StageName = "queued" | "assigned" | "delivered" | "started" | "finished" | "reported";

/** A stage that was reached, and what followed it until the next. */
export interface Stage {
  name: StageName;
  at: string;
  /** Until the next stage, or until now; null behind the last. */
  ms: number | null;
  /** What happened in this time. */
  meanwhile: string;
}

const STAGES = ["queued", "assigned", "delivered", "started", "finished", "reported"] as const;

/** What the time behind each stage goes into. */
const MEANWHILE: Record<StageName, string> = {
  queued: "waiting for an agent",
  assigned: "waiting for the agent to fetch it",
  delivered: "on the agent, not begun",
  started: "running",
  finished: "until it was reported",
  reported: "",
};

/**
 * The stages that a node run has reached. While it goes on, the last one lasts until `now` (epoch ms). What has no job
 * only begins and ends; `doing` is what it does in between.
 */
export function stagesOf(timeline: Timeline, now: number | null, doing: string | null): Stage[] {
  const names = doing === null ? STAGES : (["started", "finished"] as const);
  const reached = names.flatMap((name) => {
    const at = timeline[`${name}At`];
    return at === null ? [] : [{ name, at }];
  });
  return reached.map(({ name, at }, index) => {
    const next = reached[index + 1];
    const until = next === undefined ? now : Date.parse(next.at);
    // Clocks of agents differ from the service's by a little: nothing lasts less than no time.
    return {
      name,
      at,
      ms: until === null ? null : Math.max(0, until - Date.parse(at)),
      meanwhile: meanwhileOf(name, { next: next?.name, goesOn: now !== null, doing }),
    };
  });
}

function meanwhileOf(
  name: StageName,
  { next, goesOn, doing }: { next: StageName | undefined; goesOn: boolean; doing: string | null },
): string {
  if (name === "started" && doing !== null) return doing;
  if (name !== "delivered" || next === "started") return MEANWHILE[name];
  // An agent tells when it began only with its result: until then it may be running for long.
  return next === undefined && goesOn
    ? "on the agent: it runs, or is about to"
    : "on the agent, which did not say when it began";
}

/** How wide each stage is drawn, in percent of the whole; what was short is still seen. */
export function widthsOf(stages: readonly Stage[]): number[] {
  const LEAST = 1.5;
  const total = stages.reduce((sum, { ms }) => sum + (ms ?? 0), 0);
  if (total === 0) return stages.map(() => 0);
  const wanted = stages.map(({ ms }) => (ms === null ? 0 : Math.max(LEAST, (ms / total) * 100)));
  const sum = wanted.reduce((all, width) => all + width, 0);
  return wanted.map((width) => (width / sum) * 100);
}
