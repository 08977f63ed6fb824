import { describe, expect, test } from "bun:test";
import { matchesFilter } from "../../console/views/connections/list-filter.ts";
import { outcomeOf } from "../../console/views/connections/test/outcome.ts";
import { progressLabel } from "../../console/views/connections/test/job-labels.ts";
import { usersOf } from "../../console/views/connections/users-of.ts";
import type { JobView } from "../../schema/contract/execution.ts";
import { definitionSchema } from "../../schema/contract/workflow.ts";
import type { ConnectionView, WorkflowView } from "../../schema/contract/management.ts";

const JOB: JobView = {
  id: "job_1",
  kind: "connectionTest",
  status: "queued",
  action: null,
  effect: "read",
  executionId: null,
  nodeRunId: null,
  connectionId: "con_1",
  target: null,
  poolId: null,
  agentId: "agt_1",
  attempt: 1,
  output: null,
  error: null,
  waitingFor: null,
  waiting: null,
  assignments: [],
  timeline: {
    queuedAt: "2026-01-01T00:00:00.000Z",
    assignedAt: null,
    deliveredAt: null,
    startedAt: "2026-01-01T00:00:01.000Z",
    finishedAt: "2026-01-01T00:00:03.000Z",
    reportedAt: null,
  },
};
const OK = { name: "TCP connection", ok: true, detail: "reached" };
const BAD = { name: "Authentication", ok: false, detail: "refused: deliver it again" };

describe("a connection test that continues as a job", () => {
  test("shows the service's reason for the wait, otherwise the job's status", () => {
    expect(progressLabel({ status: "queued", waitingFor: "Its agent is offline." })).toBe("Its agent is offline.");
    expect(progressLabel({ status: "running", waitingFor: null })).toBe("The agent is testing.");
    expect(outcomeOf({ ...JOB, status: "running" })).toBeNull();
  });

  test("ends with the same outcome as an immediate answer of the service", () => {
    const output = { ok: true, latencyMs: 12, checks: [OK] };
    const at = { testedAt: "2026-01-01T00:00:03.000Z", agentId: "agt_1" };
    expect(outcomeOf({ ...JOB, status: "succeeded", output })).toEqual({ ...output, ...at });
    expect(outcomeOf({ ...JOB, status: "succeeded", output: { latencyMs: 12, checks: [OK, BAD] } })).toEqual({
      ok: false,
      latencyMs: 12,
      checks: [OK, BAD],
      error: "Authentication: refused: deliver it again",
      ...at,
    });
    const error = { code: "queue_timeout", message: "No agent took it." };
    expect(outcomeOf({ ...JOB, status: "failed", error })).toEqual({
      ok: false,
      latencyMs: 2_000,
      checks: [],
      error: "No agent took it.",
      ...at,
    });
    expect(outcomeOf({ ...JOB, status: "succeeded", output: "not an outcome" })).toMatchObject({
      ok: false,
    });
  });
});

const VIEW: ConnectionView = {
  id: "con_1",
  name: "Web servers",
  type: "ssh",
  config: { host: "web-1.internal", port: 22 },
  agentId: null,
  poolId: "front",
  usableBy: null,
  enabled: true,
  credentialStatus: null,
  credentials: [],
  revision: 1,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
};

test.each([
  [null, "", true],
  ["ssh", "", true],
  ["http", "", false],
  [null, "WEB front", true],
  [null, "web-1.internal", true],
  [null, "con_1", true],
  [null, "web db", false],
] as const)("the list with type %p and the text %p shows the connection: %p", (type, text, shown) => {
  expect(matchesFilter(VIEW, "front", { type, text })).toBe(shown);
});

test("the workflows that use a connection are found in every graph, each once", () => {
  const step = (id: string, connectionId: string, params: object = { command: "true" }) => ({
    id,
    type: "action",
    action: "ssh.executeCommand",
    connectionId,
    params,
  });
  const definition = definitionSchema.parse({
    nodes: [
      step("a", "con_1"),
      step("b", "con_1", { command: "true", secretsFrom: "con_3" }),
      { id: "each", type: "forEach", items: "{{webhook.hosts}}", body: { nodes: [step("c", "con_2")], edges: [] } },
    ],
    edges: [],
  });
  const workflow: WorkflowView = {
    id: "wf_1",
    name: "Clean up",
    description: null,
    runbookUrl: null,
    tags: [],
    retention: null,
    retentionFormer: null,
    trigger: { type: "webhook" },
    definition,
    problems: [],
    published: true,
    publishedVersionId: "wfv_1",
    active: true,
    autoDisabledAt: null,
    autoDisableReason: null,
    nextRunAt: null,
    webhookKey: null,
    webhook: null,
    lastExecution: null,
    revision: 1,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
  };
  const use = { id: "wf_1", name: "Clean up", published: true, active: true };
  expect([...usersOf([workflow])].sort()).toEqual([
    ["con_1", [use]],
    ["con_2", [use]],
    ["con_3", [use]],
  ]);
});
