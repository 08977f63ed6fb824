import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { executionSchema } from "../schema/contract/execution.ts";
import type { ExecutionView, NodeRunView } from "../schema/contract/execution.ts";
import { triggerAnswerSchema } from "../schema/contract/webhook.ts";
import { startAgentProcess } from "./local/agent-process.ts";
import type { AgentProcess } from "./local/agent-process.ts";
import { createApi } from "./local/api.ts";
import type { Api } from "./local/api.ts";
import { createExample, createLocalAgent, createRunbook, createScriptConnection } from "./local/example.ts";
import type { ExampleWorkflow } from "./local/example.ts";
import { startService } from "./local/service.ts";
import { readSettings } from "./local/settings.ts";

/** `npm run demo`: two workflows from a webhook to the output of real commands, on free ports (README.md#try-it). */
const GIVE_UP_MS = 60_000;
const answerSchema = z.object({ success: z.literal(true), data: triggerAnswerSchema });

const stateDirectory = await mkdtemp(join(tmpdir(), "bellhop-demo-"));
const startedAt = performance.now();
let exitCode = 0;
try {
  await demo();
} catch (error) {
  console.error(`\n✗ ${error instanceof Error ? error.message : String(error)}`);
  exitCode = 1;
} finally {
  await rm(stateDirectory, { recursive: true, force: true });
}
process.exit(exitCode);

async function demo(): Promise<void> {
  const settings = await readSettings(stateDirectory);
  const service = await startService({ stateDirectory, port: 0, adminToken: settings.adminToken, settings });
  say(`service  ${service.url} (workerd, libSQL ${service.databaseUrl})`);
  let agent: AgentProcess | undefined;
  try {
    const api = createApi(service.url, settings.adminToken);
    const created = await createLocalAgent(api);
    agent = await startAgentProcess({
      stateDirectory,
      apiUrl: service.url,
      apiKey: created.apiKey,
      environment: { POLL_INTERVAL: "1" },
    });
    say(`agent    process ${agent.pid}, compiled executable`);
    const connectionId = await createScriptConnection(api);
    await lookAtService(api, service.url, await createExample(api, connectionId));
    await fixHosts(api, service.url, await createRunbook(api, connectionId));
    console.log("\n✓ A webhook ran a real command on a real machine.");
  } finally {
    await agent?.stop();
    await service.stop();
  }
}

/** Two actions in sequence, and the answers that a webhook's caller gets. */
async function lookAtService(api: Api, url: string, example: ExampleWorkflow): Promise<void> {
  const endpoint = endpointOf(url, example);
  const variables = { service: "checkout" };
  const first = await ring(endpoint, example.webhookSecret, variables);
  say(`webhook  200, execution ${first.executionId} ${first.status}`);
  const again = await ring(endpoint, example.webhookSecret, variables);
  check(
    again.deduplicated === true && again.executionId === first.executionId,
    "the same payload was not deduplicated",
  );
  say("webhook  the same payload again: 200, deduplicated, no second execution");
  const refused = await post(endpoint, `${example.webhookSecret.slice(0, -1)}!`, variables);
  check(refused.status === 401, `a wrong secret was answered ${refused.status}, not 401`);
  say("webhook  a wrong secret: 401");

  const execution = await finished(api, first.executionId);
  const answer = stdoutOf(execution.nodeRuns.find((run) => run.nodeId === "answer"));
  check(answer.includes("Service checkout was checked on:"), `the last node printed "${answer}"`);
}

/** A condition, a forEach and an errorHandler. */
async function fixHosts(api: Api, url: string, runbook: ExampleWorkflow): Promise<void> {
  console.log("");
  const variables = { severity: "critical", service: "checkout", hosts: ["web-1", "web-2", "web-3"] };
  const { executionId } = await ring(endpointOf(url, runbook), runbook.webhookSecret, variables);
  say(`webhook  200, execution ${executionId}: a condition, a forEach over three hosts, an errorHandler`);
  const execution = await finished(api, executionId);
  const statuses = execution.nodeRuns.filter((run) => run.nodeId === "check").map((run) => run.status);
  check(statuses.join() === "succeeded,succeeded,succeeded", `the hosts' checks ended ${statuses.join(", ")}`);
  const printed = stdoutOf(execution.nodeRuns.find((run) => run.nodeId === "report"));
  check(printed.includes("restart failed with exit code 5"), `the errorHandler's node printed "${printed}"`);
}

async function finished(api: Api, executionId: string): Promise<ExecutionView> {
  const execution = await follow(executionId, (path) => api.get(path, executionSchema));
  printTimeline(execution);
  check(
    execution.status === "succeeded",
    `the execution ended ${execution.status}: ${execution.error?.message ?? "no reason given"}`,
  );
  return execution;
}

function endpointOf(url: string, { webhookKey }: ExampleWorkflow): string {
  return `${url}/api/v1/automation/webhooks/${webhookKey}`;
}

function post(endpoint: string, secret: string, variables: unknown): Promise<Response> {
  return fetch(endpoint, {
    method: "POST",
    headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
    body: JSON.stringify({ variables }),
    signal: AbortSignal.timeout(30_000),
  });
}

async function ring(
  endpoint: string,
  secret: string,
  variables: unknown,
): Promise<z.infer<typeof triggerAnswerSchema>> {
  const response = await post(endpoint, secret, variables);
  check(
    response.status === 200,
    `the webhook was answered ${response.status}: ${response.ok ? "" : await response.clone().text()}`,
  );
  return answerSchema.parse(await response.json()).data;
}

async function follow(executionId: string, get: (path: string) => Promise<ExecutionView>): Promise<ExecutionView> {
  const deadline = performance.now() + GIVE_UP_MS;
  for (;;) {
    const execution = await get(`/executions/${executionId}`);
    if (execution.status !== "running") return execution;
    if (performance.now() > deadline) {
      const reasons = execution.nodeRuns.flatMap((run) =>
        run.waitingFor === null ? [] : [`${run.nodeId}: ${run.waitingFor}`],
      );
      throw new Error(`the execution still runs after ${GIVE_UP_MS / 1000} s. ${reasons.join("; ")}`);
    }
    await Bun.sleep(50);
  }
}

function printTimeline(execution: ExecutionView): void {
  const origin = Date.parse(execution.startedAt);
  const after = (at: string | null) => (at === null ? "      –" : `${String(Date.parse(at) - origin).padStart(5)} ms`);
  console.log(`\n  trigger  ${execution.trigger.type} at ${execution.startedAt}`);
  // A node that never began comes last.
  const beganAt = ({ timeline }: NodeRunView) => Date.parse(timeline.startedAt ?? timeline.queuedAt ?? "9999-01-01");
  for (const run of execution.nodeRuns.toSorted((a, b) => beganAt(a) - beganAt(b))) {
    const place = run.iteration === undefined ? "" : `[${run.iteration.join(".")}]`;
    const left = run.outcome === "true" || run.outcome === "false" ? ` → ${run.outcome}` : "";
    console.log(`  └─ ${run.nodeId}${place} ${run.status}${left}`);
    const { queuedAt, deliveredAt, startedAt: began, finishedAt, reportedAt } = run.timeline;
    if (run.jobId === null) continue;
    console.log(
      `       queued ${after(queuedAt)} · on the agent ${after(deliveredAt)} · started ${after(began)} · finished ${after(finishedAt)} · reported ${after(reportedAt)}`,
    );
    for (const line of stdoutOf(run).trimEnd().split("\n")) if (line !== "") console.log(`       │ ${line}`);
    if (run.error !== null) console.log(`       ! ${run.error.code}: ${run.error.message}`);
  }
  console.log(`  ${execution.status} at ${execution.finishedAt ?? "–"}`);
}

function stdoutOf(run: NodeRunView | undefined): string {
  return z.object({ stdout: z.string() }).safeParse(run?.output).data?.stdout ?? "";
}

function say(line: string): void {
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(5)} s  ${line}`);
}

function check(condition: boolean, whatFailed: string): void {
  if (!condition) throw new Error(whatFailed);
}
