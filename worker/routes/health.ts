import * as api from "../../schema/contract/api/health.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { readiness } from "../services/readiness.ts";
import { VERSION } from "../version.ts";

export const healthEndpoints: readonly Endpoint[] = [
  endpoint(api.checkLiveness, (c) => c.json({ status: "ok", version: VERSION })),
  endpoint(api.checkReadiness, async (c) => {
    const { problems, checks } = await readiness(c.var.deps);
    const ready = problems.length === 0;
    const missing = checks.flatMap((check) => (check.ready ? [] : [check.name]));
    if (!ready) c.set("logFields", { notReady: missing.join(",") });
    const answer = { status: ready ? "ready" : "not ready", version: VERSION, problems, checks };
    return c.json(answer, ready ? 200 : 503);
  }),
];
