import { EXPOSITION_CONTENT_TYPE } from "../exposition.ts";
import type { Operation } from "../operation.ts";

export const readMetrics = {
  id: "readMetrics",
  method: "GET",
  path: "/metrics",
  tag: "Health",
  summary: "Metrics for Prometheus",
  description:
    "Text format 0.0.4: queues, latencies, executions and agents, at most some seconds old. Use a token with `automation:read`, or METRICS_TOKEN, a bearer token of the deployment's settings that opens nothing else and works while the database is down. docs/operations.md lists the metrics.",
  access: "automation:read",
  answer: { kind: "raw", status: 200, contentType: EXPOSITION_CONTENT_TYPE },
} as const satisfies Operation;
