import { expect } from "bun:test";
import type { TotalName } from "../../worker/store/totals.ts";
import { success } from "./agent-client.ts";
import { startOtlpReceiver } from "./otlp-receiver.ts";
import type { OtlpReceiver } from "./otlp-receiver.ts";
import { parsePrometheusText, valueOf } from "./prometheus-text.ts";
import { query } from "./database.ts";
import { WorkflowBench } from "./workflow-bench.ts";

const METRICS_TOKEN = "metrics-token-0123456789";

/** A service that sends its traces to a receiver of the test. */
export interface TracedBench extends AsyncDisposable {
  readonly bench: WorkflowBench;
  readonly receiver: OtlpReceiver;
  /** A run of one action, to its end. */
  ran(value?: string): Promise<string>;
  /** The executions that are still to be sent. */
  queued(): Promise<string[]>;
  /** A minute passes, also for a receiver that failed. */
  tick(): Promise<void>;
  /** The present value of a counter of the database. */
  total(name: TotalName): Promise<number>;
  /** Ends a test: nothing is queued, and the receiver has nothing and stores again. */
  forget(): Promise<void>;
  /** The value of a metric, read now. */
  metric(name: string, labels?: Record<string, string>): Promise<number>;
}

export async function startTraced(bindings: Record<string, string> = {}): Promise<TracedBench> {
  const receiver = startOtlpReceiver();
  const bench = await WorkflowBench.start({
    bindings: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, METRICS_TOKEN, ...bindings },
  });
  return {
    bench,
    receiver,
    ran: async (value = "x") => {
      const id = await bench.run({ nodes: [bench.action("act", value)], edges: [] });
      await bench.ended(id);
      return id;
    },
    total: async (name) => {
      const [row] = await query(bench.bellhop, "select value from totals where name = ?", [name]);
      return Number(row?.["value"] ?? 0);
    },
    forget: async () => {
      expect(receiver.problems).toEqual([]);
      receiver.answers = null;
      receiver.spans.length = 0;
      receiver.requests.length = 0;
      bench.agent.jobs.length = 0;
      bench.agent.does((job) => success(job));
      await query(bench.bellhop, "delete from trace_queue");
      await query(bench.bellhop, "delete from trace_progress");
    },
    queued: async () => {
      const rows = await query(bench.bellhop, "select execution_id id from trace_queue order by rowid");
      return rows.map(({ id }) => String(id));
    },
    tick: async () => {
      await query(bench.bellhop, "update trace_progress set not_before = 0");
      await bench.bellhop.worker.tick();
    },
    metric: async (name, labels = {}) => {
      // A scrape is kept for some seconds, by each copy of the service.
      await bench.bellhop.restartWorker();
      const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
      const text = await (await fetch(`${bench.bellhop.url}/metrics`, { headers })).text();
      return valueOf(parsePrometheusText(text), name, labels);
    },
    [Symbol.asyncDispose]: async () => {
      await bench.stop();
      await receiver.stop();
    },
  };
}
