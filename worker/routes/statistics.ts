import * as api from "../../schema/contract/api/statistics.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { answer } from "../http/respond.ts";
import { readStatistics } from "../services/statistics/read.ts";

export const statisticsEndpoints: readonly Endpoint[] = [
  endpoint(api.readStatistics, async (c) => answer(c, await readStatistics(c.var.deps, c.req.query()))),
];
