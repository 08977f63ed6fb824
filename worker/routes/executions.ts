import * as api from "../../schema/contract/api/executions.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { readBody } from "../http/parse.ts";
import { answer, answerPage, created } from "../http/respond.ts";
import { approveExecution } from "../services/executions/approve.ts";
import { cancelExecution } from "../services/executions/cancel.ts";
import { getExecution } from "../services/executions/get.ts";
import { listExecutionSummaries } from "../services/executions/list.ts";
import { retryExecution } from "../services/executions/retry.ts";

export const executionEndpoints: readonly Endpoint[] = [
  endpoint(api.listExecutions, async (c) => answerPage(c, await listExecutionSummaries(c.var.deps, c.req.query()))),
  endpoint(api.getExecution, async (c) => answer(c, await getExecution(c.var.deps, pathParam(c)))),
  endpoint(api.cancelExecution, async (c) =>
    answer(c, await cancelExecution(c.var.deps, c.var.principal.actor, pathParam(c))),
  ),
  endpoint(api.approveExecution, async (c) =>
    answer(c, await approveExecution(c.var.deps, c.var.principal, pathParam(c), await readBody(c))),
  ),
  endpoint(api.retryExecution, async (c) =>
    created(c, await retryExecution(c.var.deps, c.var.principal, pathParam(c), await readBody(c))),
  ),
];
