import { Table } from "@mantine/core";
import { useId } from "react";
import type { ReactNode } from "react";
import type { StatisticsBucket } from "../../../schema/contract/statistics.ts";
import { overview } from "../../strings/en/overview.ts";
import { timeOfDay } from "../../strings/time.ts";
import { ticks } from "./chart-scale.ts";
import classes from "./charts.module.css";

const text = overview.charts;

/** A bucket's label in the viewer's time zone: "14:00–15:00". */
export function bucketName({ from, to }: Pick<StatisticsBucket, "from" | "to">): string {
  return `${timeOfDay(from)}–${timeOfDay(to)}`;
}

interface ChartFrameProps {
  /** The chart's text alternative. The table has the figures. */
  label: string;
  max: number;
  tickLabel: (value: number) => string;
  buckets: readonly StatisticsBucket[];
  legend: ReactNode;
  tall?: boolean;
  /** The marks inside the chart. */
  children: ReactNode;
  /** The table's column heads after the time, and a bucket's cells. */
  heads: readonly string[];
  cells: (bucket: StatisticsBucket) => readonly string[];
}

/** A chart over time with its scale and times, and the same figures as a table. */
export function ChartFrame(props: ChartFrameProps) {
  const { label, max, tickLabel, buckets, legend, tall, children, heads, cells } = props;
  const id = useId();
  const marks = [0, 0.25, 0.5, 0.75].flatMap((share) => buckets[Math.floor(share * buckets.length)] ?? []);
  return (
    <figure className={classes["figure"]} aria-labelledby={id}>
      <figcaption id={id}>{legend}</figcaption>
      <div className={`${classes["plot"]} ${tall === true ? classes["tall"] : ""}`} role="img" aria-label={label}>
        <div className={classes["scale"]}>
          {ticks(max).map((value) => (
            <span key={value}>{tickLabel(value)}</span>
          ))}
        </div>
        <div className={classes["area"]}>{children}</div>
        <div className={classes["times"]}>
          {marks.map(({ from }) => (
            <span key={from}>{timeOfDay(from)}</span>
          ))}
          <span>{text.now}</span>
        </div>
      </div>
      <details>
        <summary className={classes["summary"]}>{text.showTable}</summary>
        <div className={classes["scroll"]} role="region" aria-label={text.table(label)} tabIndex={0}>
          <Table fz="sm" withRowBorders striped>
            <Table.Thead>
              <Table.Tr>
                {[text.time, ...heads].map((head) => (
                  <Table.Th key={head}>{head}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {buckets.toReversed().map((bucket) => (
                <Table.Tr key={bucket.from}>
                  <Table.Th scope="row" fw={400}>
                    {bucketName(bucket)}
                  </Table.Th>
                  {cells(bucket).map((cell, index) => (
                    <Table.Td key={heads[index]}>{cell}</Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      </details>
    </figure>
  );
}
