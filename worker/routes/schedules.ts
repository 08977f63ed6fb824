import * as api from "../../schema/contract/api/schedules.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { answer, answerPage } from "../http/respond.ts";
import { listWorkflowMissedRuns } from "../services/schedule/list-missed-runs.ts";
import { previewSchedule } from "../services/schedule/preview.ts";

export const scheduleEndpoints: readonly Endpoint[] = [
  endpoint(api.previewSchedule, (c) => answer(c, previewSchedule(c.var.deps, c.req.query()))),
  endpoint(api.listMissedRuns, async (c) =>
    answerPage(c, await listWorkflowMissedRuns(c.var.deps, pathParam(c), c.req.query())),
  ),
];
