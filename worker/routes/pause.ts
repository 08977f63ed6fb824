import * as api from "../../schema/contract/api/pause.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { readBody } from "../http/parse.ts";
import { answer } from "../http/respond.ts";
import { pauseRuns, readPause, resumeRuns } from "../services/control/change-pause.ts";

export const pauseEndpoints: readonly Endpoint[] = [
  endpoint(api.readPause, async (c) => answer(c, await readPause(c.var.deps))),
  endpoint(api.pauseRuns, async (c) => answer(c, await pauseRuns(c.var.deps, c.var.principal, await readBody(c)))),
  endpoint(api.resumeRuns, async (c) => answer(c, await resumeRuns(c.var.deps, c.var.principal))),
];
