import * as api from "../../schema/contract/api/jobs.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { answer } from "../http/respond.ts";
import { getJobParameters } from "../services/jobs/parameters.ts";
import { getJob } from "../services/jobs/get.ts";

export const jobEndpoints: readonly Endpoint[] = [
  endpoint(api.getJob, async (c) => answer(c, await getJob(c.var.deps, pathParam(c)))),
  endpoint(api.getJobParameters, async (c) => answer(c, await getJobParameters(c.var.deps, pathParam(c)))),
];
