import { isTerminal } from "./job-labels.ts";
import type { JobView } from "../../../../schema/contract/execution.ts";
import type { JsonValue } from "../../../../schema/contract/json.ts";
import { isJsonObject } from "../../../../schema/contract/json-object.ts";
import type { ConnectionTest } from "../../../../schema/contract/management.ts";
import { connections } from "../../../strings/en/connections.ts";

type Check = ConnectionTest["checks"][number];

/** The outcome of a test from its job, or null while the job runs. */
export function outcomeOf(job: JobView): ConnectionTest | null {
  if (!isTerminal(job.status)) return null;
  const { startedAt, finishedAt, reportedAt, queuedAt } = job.timeline;
  const endedAt = finishedAt ?? reportedAt ?? queuedAt ?? new Date().toISOString();
  const output = isJsonObject(job.output) ? job.output : null;
  const checks = output === null ? [] : checksOf(output["checks"]);
  const failed = checks.find((check) => !check.ok);
  const error = job.error?.message ?? (failed === undefined ? undefined : `${failed.name}: ${failed.detail}`);
  const measured = output?.["latencyMs"];
  const took = startedAt === null ? 0 : Date.parse(endedAt) - Date.parse(startedAt);
  return {
    ok: job.status === "succeeded" && output !== null && error === undefined,
    latencyMs: typeof measured === "number" ? measured : took,
    testedAt: endedAt,
    ...(job.agentId === null ? {} : { agentId: job.agentId }),
    ...(job.target === null ? {} : { target: job.target }),
    ...(error === undefined ? {} : { error }),
    checks,
  };
}

function checksOf(value: JsonValue | undefined): Check[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isJsonObject).map(({ name, ok, detail }) => ({
    name: typeof name === "string" ? name : connections.test.unnamedCheck,
    ok: ok === true,
    detail: typeof detail === "string" ? detail : "",
  }));
}
