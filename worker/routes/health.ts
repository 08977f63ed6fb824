import * as api from "../../schema/contract/api/health.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { readinessProblems } from "../services/readiness.ts";

export const healthEndpoints: readonly Endpoint[] = [
  endpoint(api.checkLiveness, (c) => c.json({ status: "ok" })),
  endpoint(api.checkReadiness, async (c) => {
    const problems = await readinessProblems(c.var.deps);
    const ready = problems.length === 0;
    return c.json({ status: ready ? "ready" : "not ready", problems }, ready ? 200 : 503);
  }),
];
