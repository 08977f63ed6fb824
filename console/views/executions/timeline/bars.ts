import type { NodeRunView } from "../../../../schema/contract/execution.ts";
import type { NodeType } from "../../../../schema/contract/workflow.ts";
import { isOver } from "../run-status.ts";

/** `earlier`: attempts before the present one. `whole`: a forEach from its start to its end. */
export type PartKind = "earlier" | "waiting" | "running" | "whole";

/** A part of a bar, in epoch ms. */
export interface BarPart {
  kind: PartKind;
  from: number;
  to: number;
}

/** The parts of a node run's bar. `readyAt`: the end of the step before it, if known; earlier attempts began then. */
export function barOf(run: NodeRunView, type: NodeType, now: number, readyAt: number | null): BarPart[] {
  const begun = beganAt(run);
  const ended = endedAt(run, now);
  if (begun === null || ended === null) return [];
  const { startedAt, finishedAt } = run.timeline;
  if (type === "forEach") return [{ kind: "whole", from: begun, to: Math.max(begun, ended) }];
  if (type === "approval" || type === "delay") return [{ kind: "waiting", from: begun, to: Math.max(begun, ended) }];
  const started = at(startedAt);
  const finished = at(finishedAt);
  const points: [PartKind, number][] = [
    ["waiting", begun],
    ["running", started ?? ended],
  ];
  // Between two attempts, the times are those of the last one.
  if (!isOver(run.status) && finished !== null) points.push(["waiting", finished]);
  if (run.attempt > 1 && readyAt !== null && readyAt < begun) points.unshift(["earlier", readyAt]);
  return partsBetween(points, isOver(run.status) ? (finished ?? ended) : now);
}

/** When a node run began to wait or to run; null before that. */
export function beganAt({ status, timeline }: NodeRunView): number | null {
  if (status === "pending" || status === "skipped") return null;
  return at(timeline.queuedAt) ?? at(timeline.startedAt) ?? at(timeline.finishedAt);
}

/** When the service knew the end of a node run, or `now` while it goes on; null for one that did not begin. */
export function endedAt(run: NodeRunView, now: number): number | null {
  if (beganAt(run) === null) return null;
  if (!isOver(run.status)) return now;
  return at(run.timeline.reportedAt) ?? at(run.timeline.finishedAt);
}

/** Parts that follow each other. An agent's clock differs slightly from the service's: no part ends before it begins. */
function partsBetween(points: readonly [PartKind, number][], end: number): BarPart[] {
  const parts: BarPart[] = [];
  for (const [index, [kind, from]] of points.entries()) {
    const start = Math.max(from, parts.at(-1)?.to ?? from);
    parts.push({ kind, from: start, to: Math.max(start, points[index + 1]?.[1] ?? end) });
  }
  const long = parts.filter(({ from, to }) => to > from);
  return long.length > 0 ? long : parts.slice(-1);
}

function at(instant: string | null): number | null {
  return instant === null ? null : Date.parse(instant);
}
