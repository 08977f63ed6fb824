import { EXPOSITION_CONTENT_TYPE } from "../../schema/contract/exposition.ts";
import { readMetrics } from "../../schema/contract/api/metrics.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { scrape } from "../services/metrics/scrape.ts";

export const metricsEndpoints: readonly Endpoint[] = [
  endpoint(readMetrics, async (c) =>
    c.body(await scrape(c.var.deps), 200, { "Content-Type": EXPOSITION_CONTENT_TYPE }),
  ),
];
