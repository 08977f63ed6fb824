import type { NodeRunView } from "../../../schema/contract/execution.ts";
import type { NodeType } from "../../../schema/contract/workflow.ts";
import { useNow } from "../../ui/time.tsx";
import { duration, exactTime, stageTime } from "../../strings/time.ts";
import { useJobOf } from "./run-facts.tsx";
import { isOver } from "./run-status.ts";
import { stagesOf, widthsOf } from "./timeline.ts";
import type { StageName } from "./timeline.ts";
import { executionSteps as text } from "../../strings/en/execution-steps.ts";
import classes from "./executions.module.css";

const COLORS: Record<StageName, string> = {
  queued: "gray",
  assigned: "yellow",
  delivered: "grape",
  started: "blue",
  finished: "cyan",
  reported: "gray",
  lost: "red",
};

/** The stages of a node run with their times and durations, as a bar and as text. */
export function TimelineView({ run, type }: { run: NodeRunView; type: NodeType | null }) {
  const over = isOver(run.status);
  const now = useNow(over ? null : 1_000);
  const job = useJobOf(run);
  const stages = stagesOf(run.timeline, over ? null : now, doingOf(run, type), job.data?.assignments);
  const widths = widthsOf(stages);
  if (stages.length === 0) return <p className={classes["quiet"]}>{text.stages.none}</p>;
  return (
    <div>
      <div className={classes["bar"]} aria-hidden>
        {stages.map(({ name, at, ms, activity }, index) => (
          <span
            key={`${name} ${at}`}
            title={text.stages.part(activity, duration(ms ?? 0))}
            style={{ width: `${widths[index] ?? 0}%`, background: `var(--mantine-color-${COLORS[name]}-6)` }}
          />
        ))}
      </div>
      <ol className={classes["stages"]} aria-label={text.stages.label}>
        {stages.map(({ name, at, ms, activity, note }) => (
          <li key={`${name} ${at}`}>
            <span
              className={classes["dot"]}
              style={{ background: `var(--mantine-color-${COLORS[name]}-6)` }}
              aria-hidden
            />
            <span>
              <b>{name}</b>{" "}
              <time dateTime={at} title={exactTime(at)}>
                {stageTime(at, now)}
              </time>
            </span>
            <span className={classes["quiet"]}>
              {ms === null || activity === "" ? null : text.stages.lasted(duration(ms), activity)}
            </span>
            {note === undefined ? null : <span className={classes["note"]}>{note}</span>}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The activity of a node run without a job, or null when it has a job. */
function doingOf({ jobId }: NodeRunView, type: NodeType | null): string | null {
  if (jobId !== null || type === "action") return null;
  return type === "approval"
    ? text.stages.waitingForAnswer
    : type === "delay"
      ? text.stages.waiting
      : text.stages.running;
}
