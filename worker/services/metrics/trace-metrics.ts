import { single } from "../../../schema/contract/exposition.ts";
import type { Metric } from "../../../schema/contract/exposition.ts";
import type { DatabaseFigures } from "../../store/metrics.ts";
import { TRACE_ENDS } from "../../store/totals.ts";

/** How the sending of traces goes. */
export function traceMetrics({ traces }: DatabaseFigures, total: (name: string) => number, now: number): Metric[] {
  return [
    {
      name: "bellhop_traces_total",
      type: "counter",
      help: "Traced executions, by what became of their spans.",
      samples: TRACE_ENDS.map((result) => ({ labels: { result }, value: total(`traces:${result}`) })),
    },
    {
      name: "bellhop_trace_spans_total",
      type: "counter",
      help: "Spans that the receiver took, by whether it kept them.",
      samples: ["sent", "rejected"].map((result) => ({ labels: { result }, value: total(`spans:${result}`) })),
    },
    {
      name: "bellhop_traces_queued",
      type: "gauge",
      help: "Ended executions whose spans are still to be sent.",
      samples: single(traces.queued),
    },
    {
      name: "bellhop_traces_failing_seconds",
      type: "gauge",
      help: "Time since the sending of spans began to fail; 0 while it works or nothing is queued.",
      samples: single(traces.failingSince === null ? 0 : Math.max(0, now - traces.failingSince) / 1_000),
    },
  ];
}
