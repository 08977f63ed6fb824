import { EXPOSITION_CONTENT_TYPE } from "../exposition.ts";
import type { Operation } from "../operation.ts";

export const readMetrics = {
  id: "readMetrics",
  method: "GET",
  path: "/metrics",
  tag: "Health",
  summary: "Metrics for Prometheus",
  description:
    "Text format 0.0.4: queues, latencies, executions and agents as they are now, at most some seconds old. Beside tokens with `automation:read` it takes METRICS_TOKEN, a bearer token of the deployment's settings that opens nothing else and works while the database is away. docs/operations.md lists the metrics.",
  access: "automation:read",
  answer: { kind: "raw", status: 200, contentType: EXPOSITION_CONTENT_TYPE },
} as const satisfies Operation;
