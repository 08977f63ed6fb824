import { expect } from "bun:test";
import type { ExecutionSummary } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { eventually } from "./eventually.ts";
import { call, createConnection, createWorkflow, verb } from "./management-api.ts";
import type { Service } from "./bellhop.ts";
import { executionsOf } from "./incidents.ts";
import { query } from "./database.ts";
import { SUCCEEDS } from "./schedules.ts";

/** A published, active workflow whose runs fail as soon as they begin, regardless of their trigger. */
export async function failingWorkflow(bellhop: Service, body: JsonObject = {}): Promise<string> {
  const { id: connectionId } = await createConnection(bellhop);
  const run = { id: "run", name: "Restart it", type: "action", action: "script.bash", connectionId };
  const nodes = [{ ...run, params: { script: "true" } }];
  const id = await activeWorkflow(bellhop, {
    name: "Repair",
    trigger: { type: "manual" },
    definition: { nodes, edges: [], concurrency: { mode: "queue", key: "shop-1" } },
    ...body,
  });
  expect((await call(bellhop, "POST", `/connections/${connectionId}/disable`)).ok).toBe(true);
  return id;
}

/** An active workflow that failed runs of others start. It succeeds. */
export function failureWorkflow(bellhop: Service, trigger: JsonObject = {}, body: JsonObject = {}): Promise<string> {
  return activeWorkflow(bellhop, {
    name: "Report",
    trigger: { type: "failure", ...trigger },
    definition: SUCCEEDS,
    ...body,
  });
}

export async function activeWorkflow(bellhop: Service, body: JsonObject): Promise<string> {
  const { id } = await createWorkflow(bellhop, body);
  await verb(bellhop, id, "publish");
  await verb(bellhop, id, "activate");
  return id;
}

/** Resolves when the failure workflows of every failed execution have started, without the help of a tick. */
export async function reported(bellhop: Service): Promise<void> {
  await eventually("every failure to be reported", async () => (await unreported(bellhop)).length === 0);
}

export function unreported(bellhop: Service) {
  return query(bellhop, "select execution_id from unreported_failures");
}

/** The executions that a failure workflow had, as the failed executions that started them. */
export async function failuresOf(bellhop: Service, workflowId: string): Promise<JsonObject[]> {
  return (await executionsOf(bellhop, workflowId)).flatMap(({ trigger }: ExecutionSummary) =>
    trigger.type === "failure" ? [trigger.failed] : [],
  );
}
