import type { EngineBench } from "./index.ts";
import { RATIO_MAX } from "./scale.ts";
import type { Scale } from "./scale.ts";
import type { StepTime } from "./step-time.ts";
import type { Throughput } from "./throughput.ts";
import { WRITE_BATCHES_MAX } from "./traffic.ts";
import type { ExecutionTraffic } from "./traffic.ts";

export function describeEngine({ throughput, traffic, stepTime, scale }: EngineBench): string {
  return [
    ...throughput.flatMap(throughputLines),
    "  (floor: the requests, object inserts and write batches of an execution by hand, without the engine's decisions)",
    ...trafficLines(traffic),
    ...stepLines(stepTime),
    ...scaleLines(scale),
  ].join("\n");
}

function throughputLines({ lanes, ...paces }: Throughput): string[] {
  const { floor } = paces;
  const line = (name: string, { perSecond, p50Ms, p99Ms }: Throughput["floor"]) =>
    `  ${name.padEnd(10)} ${perSecond.toFixed(0).padStart(5)} executions/s   p50 ${p50Ms.toFixed(2)} ms   p99 ${p99Ms.toFixed(2)} ms   ${(perSecond / floor.perSecond).toFixed(2)} of the floor's rate, p50 ${(p50Ms / floor.p50Ms).toFixed(2)} times the floor's`;
  return [
    `executions of one action that takes no time, start to finished, ${lanes} at once`,
    line("floor", floor),
    line("by hand", paces.byHand),
    line("by webhook", paces.byWebhook),
  ];
}

function trafficLines(traffic: readonly ExecutionTraffic[]): string[] {
  return [
    "asked of libSQL for an execution",
    `  ${"".padEnd(34)} ${"write batches".padStart(14)} ${"requests".padStart(9)} ${"reads".padStart(7)} ${"writes".padStart(7)} ${"rows".padStart(7)}   for each node run: batches, requests, rows`,
    ...traffic.map(({ kind, nodeRuns, perExecution }) => {
      const { writeBatches, requests, readStatements, writeStatements, rowsWritten } = perExecution;
      const each = [writeBatches, requests, rowsWritten].map((count) => (count / nodeRuns).toFixed(2)).join(", ");
      return `  ${kind.padEnd(34)} ${writeBatches.toFixed(1).padStart(14)} ${requests.toFixed(1).padStart(9)} ${readStatements.toFixed(1).padStart(7)} ${writeStatements.toFixed(1).padStart(7)} ${rowsWritten.toFixed(1).padStart(7)}   ${each}`;
    }),
    ...traffic
      .filter(({ nodeRuns }) => nodeRuns === 1)
      .map(({ kind, perExecution: { writeBatches, writeRequests } }) => {
        const verdict = writeBatches <= WRITE_BATCHES_MAX ? "within" : "OVER";
        return `  ${kind}: ${writeBatches.toFixed(1)} write batches in ${writeRequests.toFixed(1)} requests, ${verdict} the bound of ${WRITE_BATCHES_MAX}`;
      }),
  ];
}

function stepLines(stepTime: readonly StepTime[]): string[] {
  return [
    "the pure step of one finished job, in the middle of an execution",
    ...stepTime.map(({ shape, small, large }) => {
      const ratio = large.stepMicros / small.stepMicros;
      const size = large.nodeRuns / small.nodeRuns;
      return `  ${shape.padEnd(21)} ${small.stepMicros.toFixed(1).padStart(6)} µs at ${small.nodeRuns} node runs, ${large.stepMicros.toFixed(1).padStart(6)} µs at ${large.nodeRuns}: ${ratio.toFixed(1)} times, where there are ${size.toFixed(0)} times the node runs`;
    }),
  ];
}

function scaleLines({ small, large, note, calls }: Scale): string[] {
  const name = Math.max(...calls.map(({ call }) => call.length));
  const over = calls.filter(({ ratio }) => ratio > RATIO_MAX);
  return [
    `${large.rows} stored executions (${large.megabytes.toFixed(0)} MB, made in ${large.seconds.toFixed(0)} s) compared with ${small.rows}`,
    ...(note === null ? [] : [`  ${note}`]),
    ...calls.map(
      ({ call, small, large, ratio }) =>
        `  ${call.padEnd(name)}  p50 ${ms(small.p50Ms)} → ${ms(large.p50Ms)}   p99 ${ms(small.p99Ms)} → ${ms(large.p99Ms)}   ${ratio.toFixed(2)} times${ratio > RATIO_MAX ? `   OVER ${RATIO_MAX}` : ""}`,
    ),
    `  ${calls.length - over.length} of ${calls.length} within ${RATIO_MAX} times (p50)`,
  ];
}

function ms(value: number): string {
  return `${value.toFixed(2).padStart(8)} ms`;
}
