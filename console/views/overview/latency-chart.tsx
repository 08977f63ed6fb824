import { Group, SegmentedControl, Table, Text } from "@mantine/core";
import { useState } from "react";
import type { Latency, Statistics } from "../../../schema/contract/statistics.ts";
import { ChartFrame, bucketName } from "./chart-frame.tsx";
import { linePath, roundMax } from "./chart-scale.ts";
import classes from "./charts.module.css";

const STAGES = {
  queuedToStarted: "Queued to started",
  queuedToDelivered: "Queued to delivered",
} as const;
type Stage = keyof typeof STAGES;

/** The time from a job's queueing to its delivery and to its start: p50 and p95 of each hour. */
export function LatencyChart({ statistics }: { statistics: Statistics }) {
  const [stage, setStage] = useState<Stage>("queuedToStarted");
  const { buckets } = statistics;
  if (statistics.queuedToDelivered.count === 0) {
    return (
      <Text size="sm" c="dimmed">
        No job has ended in the last 24 hours.
      </Text>
    );
  }
  const of = statistics[stage];
  const max = roundMax(Math.max(...buckets.map((bucket) => bucket[stage].p95Ms ?? 0)));
  return (
    <>
      <Figures statistics={statistics} />
      <ChartFrame
        label={`Dispatch latency of the last 24 hours, by hour: p50 ${ms(of.p50Ms)}, p95 ${ms(of.p95Ms)}.`}
        max={max}
        tickLabel={(value) => ms(value)}
        buckets={buckets}
        heads={["p50", "p95", "p99", "jobs"]}
        cells={(bucket) => cellsOf(bucket[stage])}
        legend={
          <Group gap="md" mb="md" justify="space-between">
            <Group gap="md">
              <LegendLine name="p50" />
              <LegendLine name="p95" />
            </Group>
            <SegmentedControl
              size="xs"
              aria-label="Stages in the chart"
              value={stage}
              onChange={(value) => setStage(value === "queuedToDelivered" ? value : "queuedToStarted")}
              data={Object.entries(STAGES).map(([value, label]) => ({ value, label }))}
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
              title={`${bucketName(bucket)}: p50 ${ms(bucket[stage].p50Ms)}, p95 ${ms(bucket[stage].p95Ms)}`}
            />
          ))}
        </div>
      </ChartFrame>
      <Text size="sm" c="dimmed" mt="xs">
        Only jobs that have ended; waiting jobs are listed with their pool. Start times use the agent&rsquo;s clock.
        {of.sampled ? " In hours with very many jobs, only the newest are counted." : ""}
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
      aria-label="Dispatch latency of the last 24 hours"
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Stage</Table.Th>
          <Table.Th>p50</Table.Th>
          <Table.Th>p95</Table.Th>
          <Table.Th>p99</Table.Th>
          <Table.Th>jobs</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {(["queuedToDelivered", "queuedToStarted"] as const).map((stage) => (
          <Table.Tr key={stage}>
            <Table.Th scope="row" fw={400}>
              {STAGES[stage].toLowerCase()}
            </Table.Th>
            {cellsOf(statistics[stage]).map((cell, index) => (
              <Table.Td key={["p50", "p95", "p99", "jobs"][index]}>{cell}</Table.Td>
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
  return [ms(p50Ms), ms(p95Ms), ms(p99Ms), sampled ? `${count}+` : String(count)];
}

/** Always in ms, so figures are easy to compare. */
function ms(value: number | null): string {
  return value === null ? "–" : `${value.toLocaleString("en")} ms`;
}
