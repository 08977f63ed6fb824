import { Group, Text } from "@mantine/core";
import type { ExecutionCounts, Statistics } from "../../../schema/contract/statistics.ts";
import { atLeast } from "../../strings/format.ts";
import { overview } from "../../strings/en/overview.ts";
import { ChartFrame, bucketName } from "./chart-frame.tsx";
import { roundMax } from "./chart-scale.ts";
import classes from "./charts.module.css";

const text = overview.outcomes;
/** From the bottom up. */
const OUTCOMES = ["succeeded", "failed", "cancelled", "running"] as const;

/** Executions of each hour by outcome, stacked. */
export function OutcomesChart({ statistics: { executions, buckets } }: { statistics: Statistics }) {
  if (totalOf(executions) === 0) {
    return (
      <Text size="sm" c="dimmed">
        {text.none}
      </Text>
    );
  }
  const max = roundMax(Math.max(...buckets.map((bucket) => totalOf(bucket.executions))));
  return (
    <>
      <ChartFrame
        label={text.chart(figuresOf(executions))}
        max={max}
        tall
        tickLabel={String}
        buckets={buckets}
        heads={OUTCOMES.map((outcome) => text.names[outcome])}
        cells={(bucket) => OUTCOMES.map((outcome) => atLeast(bucket.executions[outcome], bucket.executions.sampled))}
        legend={
          <Group gap="md" mb="md">
            {OUTCOMES.map((outcome) => (
              <Group key={outcome} gap={6}>
                <span className={`${classes["swatch"]} ${classes[outcome]}`} aria-hidden />
                <Text size="sm">{text.amount(executions[outcome], executions.sampled, outcome)}</Text>
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
              title={overview.charts.hour(bucketName(bucket), figuresOf(bucket.executions))}
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
          {text.sampled}
        </Text>
      ) : null}
    </>
  );
}

function totalOf(counts: ExecutionCounts): number {
  return OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0);
}

function figuresOf(counts: ExecutionCounts): string {
  return text.figures(
    OUTCOMES.filter((outcome) => counts[outcome] > 0).map((outcome) =>
      text.amount(counts[outcome], counts.sampled, outcome),
    ),
  );
}
