import { Group, Text } from "@mantine/core";
import type { ExecutionCounts, Statistics } from "../../../schema/contract/statistics.ts";
import { ChartFrame, bucketName } from "./chart-frame.tsx";
import { roundMax } from "./chart-scale.ts";
import classes from "./charts.module.css";

/** From the bottom up. */
const OUTCOMES = ["succeeded", "failed", "cancelled", "running"] as const;

/** Executions of each hour by outcome, stacked. */
export function OutcomesChart({ statistics: { executions, buckets } }: { statistics: Statistics }) {
  if (totalOf(executions) === 0) {
    return (
      <Text size="sm" c="dimmed">
        No runs started in the last 24 hours.
      </Text>
    );
  }
  const max = roundMax(Math.max(...buckets.map((bucket) => totalOf(bucket.executions))));
  return (
    <>
      <ChartFrame
        label={`Executions that started in the last 24 hours, by hour: ${countsLabel(executions)}.`}
        max={max}
        tall
        tickLabel={String}
        buckets={buckets}
        heads={OUTCOMES}
        cells={(bucket) => OUTCOMES.map((outcome) => shown(bucket.executions[outcome], bucket.executions.sampled))}
        legend={
          <Group gap="md" mb="md">
            {OUTCOMES.map((outcome) => (
              <Group key={outcome} gap={6}>
                <span className={`${classes["swatch"]} ${classes[outcome]}`} aria-hidden />
                <Text size="sm">
                  {shown(executions[outcome], executions.sampled)} {outcome}
                </Text>
              </Group>
            ))}
          </Group>
        }
      >
        <div className={classes["columns"]}>
          {buckets.map((bucket) => (
            <div
              key={bucket.from}
              className={classes["column"]}
              title={`${bucketName(bucket)}: ${countsLabel(bucket.executions)}`}
            >
              {OUTCOMES.toReversed().map((outcome) => (
                <div
                  key={outcome}
                  className={classes[outcome]}
                  style={{ height: `${(bucket.executions[outcome] / max) * 100}%` }}
                />
              ))}
            </div>
          ))}
        </div>
      </ChartFrame>
      {executions.sampled ? (
        <Text size="sm" c="dimmed" mt="xs">
          In hours with very many runs, only the newest are counted, marked with a +.
        </Text>
      ) : null}
    </>
  );
}

function totalOf(counts: ExecutionCounts): number {
  return OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0);
}

function countsLabel(counts: ExecutionCounts): string {
  const parts = OUTCOMES.filter((outcome) => counts[outcome] > 0).map(
    (outcome) => `${shown(counts[outcome], counts.sampled)} ${outcome}`,
  );
  return parts.length === 0 ? "none" : parts.join(", ");
}

/** A "+" marks a count of a sample: the real count may be higher. */
function shown(count: number, sampled: boolean): string {
  return sampled ? `${count}+` : String(count);
}
