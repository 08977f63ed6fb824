import { Group, SegmentedControl, Table, Text } from "@mantine/core";
import { useState } from "react";
import type { Latency, Statistics } from "../../../schema/contract/statistics.ts";
import { overview } from "../../strings/en/overview.ts";
import { atLeast } from "../../strings/format.ts";
import { ChartFrame, bucketName } from "./chart-frame.tsx";
import { linePath, roundMax } from "./chart-scale.ts";
import classes from "./charts.module.css";

const text = overview.latency;
type Stage = keyof typeof text.stages;

/** The time from a job's queueing to its delivery and to its start: p50 and p95 of each hour. */
export function LatencyChart({ statistics }: { statistics: Statistics }) {
  const [stage, setStage] = useState<Stage>("queuedToStarted");
  const { buckets } = statistics;
  if (statistics.queuedToDelivered.count === 0) {
    return (
      <Text size="sm" c="dimmed">
        {text.none}
      </Text>
    );
  }
  const of = statistics[stage];
  const max = roundMax(Math.max(...buckets.map((bucket) => bucket[stage].p95Ms ?? 0)));
  return (
    <>
      <Figures statistics={statistics} />
      <ChartFrame
        label={text.chart(text.figures(of))}
        max={max}
        tickLabel={text.milliseconds}
        buckets={buckets}
        heads={text.columns}
        cells={(bucket) => cellsOf(bucket[stage])}
        legend={
          <Group gap="md" mb="md" justify="space-between">
            <Group gap="md">
              <LegendLine name="p50" />
              <LegendLine name="p95" />
            </Group>
            <SegmentedControl
              size="xs"
              aria-label={text.stagesInChart}
              value={stage}
              onChange={(value) => setStage(value === "queuedToDelivered" ? value : "queuedToStarted")}
              data={Object.entries(text.stages).map(([value, label]) => ({ value, label }))}
            />
          </Group>
        }
      >
        <svg className={classes["lines"]} viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden>
          {(["p95", "p50"] as const).map((name) => (
            <path
              key={name}
              className={`${classes["line"]} ${classes[name]}`}
              d={linePath(
                buckets.map((bucket) => bucket[stage][`${name}Ms`]),
                max,
              )}
            />
          ))}
        </svg>
        <div className={classes["columns"]}>
          {buckets.map((bucket) => (
            <div
              key={bucket.from}
              className={classes["column"]}
              title={overview.charts.hour(bucketName(bucket), text.figures(bucket[stage]))}
            />
          ))}
        </div>
      </ChartFrame>
      <Text size="sm" c="dimmed" mt="xs">
        {text.note} {of.sampled ? text.sampled : null}
      </Text>
    </>
  );
}

/** The figures of the whole day. */
function Figures({ statistics }: { statistics: Statistics }) {
  return (
    <Table
      fz="sm"
      mb="sm"
      horizontalSpacing={6}
      className={classes["figures"] ?? ""}
      withRowBorders={false}
      aria-label={text.title}
    >
      <Table.Thead>
        <Table.Tr>
          {[text.stage, ...text.columns].map((column) => (
            <Table.Th key={column}>{column}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {(["queuedToDelivered", "queuedToStarted"] as const).map((stage) => (
          <Table.Tr key={stage}>
            <Table.Th scope="row" fw={400}>
              {text.stages[stage]}
            </Table.Th>
            {cellsOf(statistics[stage]).map((cell, index) => (
              <Table.Td key={text.columns[index]}>{cell}</Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function LegendLine({ name }: { name: "p50" | "p95" }) {
  return (
    <Group gap={6}>
      <svg width={24} height={8} aria-hidden>
        <path className={`${classes["line"]} ${classes[name]}`} d="M0 4L24 4" />
      </svg>
      <Text size="sm">{name}</Text>
    </Group>
  );
}

function cellsOf({ p50Ms, p95Ms, p99Ms, count, sampled }: Latency): string[] {
  return [...[p50Ms, p95Ms, p99Ms].map(text.milliseconds), atLeast(count, sampled)];
}
