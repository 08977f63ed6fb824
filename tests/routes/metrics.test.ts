import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { debianPeer } from "../support/debian-peer.ts";
import { version } from "../../package.json" with { type: "json" };
import { connectionTargetSchema } from "../../schema/contract/connection.ts";
import { canonicalTarget, targetOf } from "../../schema/contract/credential-target.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import {
  acceptedId,
  createAgent,
  createConnection,
  createWebhookWorkflow,
  ended,
  getExecution,
} from "../support/management.ts";
import { createWorkflow, DELAY_DEFINITION, verb } from "../support/management-api.ts";
import { createSchedule, tickWhenDue } from "../support/schedules.ts";
import { parsePrometheusText, valueOf } from "../support/prometheus-text.ts";
import type { Family } from "../support/prometheus-text.ts";
import { query } from "../support/database.ts";
import { WorkingAgent } from "../support/working-agent.ts";

const METRICS_TOKEN = "metrics-token-0123456789";
const MINUTE_MS = 60_000;
const POOL = "kitchen.2";
const PROMTOOL = "/usr/bin/promtool";
const promtoolMissing = debianPeer(PROMTOOL, "prometheus");

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop({ bindings: { METRICS_TOKEN } });
});
afterAll(() => bellhop.stop());

async function scrapeText(token = METRICS_TOKEN): Promise<string> {
  const response = await fetch(`${bellhop.url}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  return response.text();
}

const scrape = async () => parsePrometheusText(await scrapeText());

/** The first scrape that shows a change: the response is cached for some seconds. */
function scrapeThatShows(what: string, shows: (families: Map<string, Family>) => boolean) {
  return eventually(
    `a scrape that shows ${what}`,
    async () => {
      const families = await scrape();
      return shows(families) && families;
    },
    50_000,
  );
}

/** Waits until the pool has the execution's job and says why the job waits. */
function waits(executionId: string) {
  return eventually("a job to wait for an agent", async () => {
    const [run] = (await getExecution(bellhop, executionId)).nodeRuns;
    if (run?.jobId == null) return false;
    const response = await bellhop.api("GET", `/api/v1/automation/jobs/${run.jobId}`);
    return (await response.text()).includes("no agent yet");
  });
}

function shellWorkflow(connectionId: string) {
  const params = { script: "true" };
  return { nodes: [{ id: "run", type: "action", action: "script.bash", connectionId, params }], edges: [] };
}

describe("access to the metrics", () => {
  test.each([
    ["is refused without a token", {}, 401],
    ["is refused with a wrong token", { Authorization: "Bearer wrong-token-0123456789" }, 401],
    ["is refused with a part of the metrics token", { Authorization: `Bearer ${METRICS_TOKEN.slice(0, -1)}` }, 401],
    ["is granted with the metrics token", { Authorization: `Bearer ${METRICS_TOKEN}` }, 200],
  ])("%s", async (_who, headers, status) => {
    const response = await fetch(`${bellhop.url}/metrics`, { headers });
    expect(response.status).toBe(status);
    if (status !== 200) expect(await response.text()).not.toContain("bellhop_");
  });

  test("the metrics token gives access to nothing else", async () => {
    for (const path of ["/api/v1/automation/agents", "/api/v1/automation/executions", "/api/v1/auth/me", "/metrics/"]) {
      const response = await fetch(bellhop.url + path, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } });
      expect([path, response.status >= 400]).toEqual([path, true]);
    }
  });
});

describe("a scrape", () => {
  test("counts and times an execution, and has pools, agents, connections and workflows", async () => {
    const agent = await WorkingAgent.start(bellhop, POOL);
    const connectionId = await createConnection(bellhop, { type: "script", poolId: POOL });
    const webhook = await createWebhookWorkflow(bellhop, shellWorkflow(connectionId));
    await ended(bellhop, await acceptedId(await webhook.ring({ variables: { n: 1 } })));
    await agent.stop();
    // A scrape is cached for some seconds, the list of pools for a minute: a new Worker has neither.
    await bellhop.restartWorker();
    const families = await scrape();
    expect(valueOf(families, "bellhop_executions_finished_total", { status: "failed" })).toBe(0);
    expect(valueOf(families, "bellhop_jobs_finished_total", { status: "succeeded" })).toBe(1);
    expect(valueOf(families, "bellhop_executions_running")).toBe(0);
    expect(valueOf(families, "bellhop_dispatch_window_jobs")).toBe(1);
    for (const stage of ["assigned", "delivered", "started", "reported", "queued_to_started"]) {
      expect(valueOf(families, "bellhop_dispatch_stage_seconds", { stage, quantile: "0.5" })).toBeGreaterThanOrEqual(0);
    }
    expect(valueOf(families, "bellhop_execution_start_delay_seconds", { quantile: "0.99" })).toBeGreaterThanOrEqual(0);
    const agents = (status: string, started: string) =>
      valueOf(families, "bellhop_agents", { pool: POOL, status, enabled: "true", started });
    expect([agents("Online", "true"), agents("Offline", "true"), agents("Offline", "false")]).toEqual([1, 0, 0]);
    expect(valueOf(families, "bellhop_agents_enabled", { pool: POOL })).toBe(1);
    expect(valueOf(families, "bellhop_pool_queue_depth", { pool: POOL })).toBe(0);
    expect(valueOf(families, "bellhop_pool_capacity_jobs", { pool: POOL })).toBe(50);
    expect(valueOf(families, "bellhop_connections", { type: "script", enabled: "true" })).toBe(1);
    expect(valueOf(families, "bellhop_workflows", { trigger: "webhook", active: "true" })).toBe(1);
    expect(valueOf(families, "bellhop_source_up", { source: "database" })).toBe(1);
    expect(valueOf(families, "bellhop_source_up", { source: "pools" })).toBe(1);
    expect(valueOf(families, "bellhop_build_info", { version })).toBe(1);
  });

  test("counts waiting jobs by pool and reason, with the age of the oldest", async () => {
    const connectionId = await createConnection(bellhop, { type: "script", poolId: "empty" });
    const webhook = await createWebhookWorkflow(bellhop, shellWorkflow(connectionId));
    for (const n of [1, 2]) await waits(await acceptedId(await webhook.ring({ variables: { n } })));
    await bellhop.restartWorker();
    const families = await scrape();
    expect(valueOf(families, "bellhop_executions_running")).toBe(2);
    expect(valueOf(families, "bellhop_pool_queue_depth", { pool: "empty" })).toBe(2);
    expect(valueOf(families, "bellhop_pool_jobs_waiting", { pool: "empty", reason: "no_agent" })).toBe(2);
    expect(valueOf(families, "bellhop_pool_oldest_waiting_job_age_seconds", { pool: "empty" })).toBeGreaterThan(0);
    expect(valueOf(families, "bellhop_jobs_unfinished", { holder: "pool", pool: "empty" })).toBe(2);
    expect(
      valueOf(families, "bellhop_oldest_unfinished_job_age_seconds", { holder: "pool", pool: "empty" }),
    ).toBeGreaterThan(0);
    expect(valueOf(families, "bellhop_oldest_running_execution_age_seconds")).toBeGreaterThan(0);
  });

  test("has one row for agents without a pool, and never their names", async () => {
    await createAgent(bellhop, { name: "lonely" });
    await bellhop.restartWorker();
    const text = await scrapeText();
    const lonely = (started: string) =>
      valueOf(parsePrometheusText(text), "bellhop_agents", { pool: "", status: "Offline", enabled: "true", started });
    // An agent that was never started is no outage: the alert about a pool without agents does not count it.
    expect([lonely("true"), lonely("false")]).toEqual([0, 1]);
    expect(text).not.toContain("lonely");
  });

  test("keeps totals after the deletion of what they count", async () => {
    await query(bellhop, "delete from executions where status = 'succeeded'");
    await query(bellhop, "delete from jobs where status = 'succeeded'");
    await bellhop.restartWorker();
    const families = await scrape();
    expect(valueOf(families, "bellhop_executions_finished_total", { status: "succeeded" })).toBe(1);
    expect(valueOf(families, "bellhop_jobs_finished_total", { status: "succeeded" })).toBe(1);
  });

  test("counts runs that found their queue full, and these are no missed schedules", async () => {
    const concurrency = { mode: "queue", maxQueued: 1 };
    const { id } = await createWorkflow(bellhop, { definition: { ...DELAY_DEFINITION, concurrency } });
    await verb(bellhop, id, "publish");
    for (let run = 1; run <= 3; run += 1) {
      const response = await bellhop.api("POST", `/api/v1/automation/workflows/${id}/execute`, {});
      expect(response.status).toBe(201);
    }
    await bellhop.restartWorker();
    const families = await scrape();
    expect(valueOf(families, "bellhop_executions_queue_full_total")).toBe(1);
    expect(valueOf(families, "bellhop_schedule_missed_runs_total")).toBe(0);
  });

  test("counts open incidents, failed credentials and unreported failures, and times late schedules", async () => {
    await bellhop.api("POST", "/api/v1/automation/incidents", { title: "Disk full", severity: "high" });
    await createWebhookWorkflow(bellhop, {
      nodes: [{ id: "sure", type: "approval", message: "Sure?" }],
      edges: [],
    }).then((webhook) => webhook.ring());
    await eventually("the approval", async () => {
      const [row] = await query(bellhop, "update node_runs set queued_at = 1 where node_id = 'sure' returning id");
      return row ?? null;
    });
    await query(
      bellhop,
      "insert into credentials (connection_id, agent_id, state, version, status, updated_at) values ('c', 'a', 'present', 1, 'failed', 0)",
    );
    await query(
      bellhop,
      `insert into executions (id, workflow_id, version_id, status, trigger, trigger_key, revision, started_at, finished_at)
        values ('exe_1', 'wf_1', 'wfv_1', 'failed', '{"type":"manual"}', 'a', 1, 1, 1)`,
    );
    await query(bellhop, "insert into unreported_failures (execution_id) values ('exe_1')");
    await bellhop.restartWorker();
    const families = await scrape();
    await query(bellhop, "delete from executions where id = 'exe_1'");
    await query(bellhop, "delete from unreported_failures");
    expect(valueOf(families, "bellhop_failures_unreported")).toBe(1);
    expect(valueOf(families, "bellhop_oldest_unreported_failure_age_seconds")).toBeGreaterThan(1_000_000);
    expect(valueOf(families, "bellhop_incidents_open", { status: "triggered", severity: "high" })).toBe(1);
    expect(valueOf(families, "bellhop_credentials_not_delivered", { status: "failed" })).toBe(1);
    expect(valueOf(families, "bellhop_credentials_not_delivered", { status: "pending" })).toBe(0);
    expect(valueOf(families, "bellhop_approvals_waiting")).toBe(1);
    expect(valueOf(families, "bellhop_oldest_waiting_approval_age_seconds")).toBeGreaterThan(1_000_000);
    expect(valueOf(families, "bellhop_schedule_delay_seconds")).toBe(0);
  });

  test("counts credentials that their agents must not use by reason, and no others", async () => {
    const config = { host: "db-1", username: "ops", authMethod: "password" };
    const id = await createConnection(bellhop, { type: "ssh", config });
    const connection = connectionTargetSchema.parse({ type: "ssh", config });
    const right = createHash("sha256")
      .update(canonicalTarget(targetOf(connection)))
      .digest("base64url");
    const reports: JsonValue[] = [
      { version: 1, target: right },
      { version: 1, target: null },
      { version: 1, target: "x" },
      { version: 1 },
      null,
    ];
    for (const [at, reported] of reports.entries()) {
      await query(
        bellhop,
        "insert into credentials (connection_id, agent_id, state, version, status, reported, updated_at) values (?, ?, 'present', 1, 'delivered', nullif(?, 'null'), 0)",
        [id, `agent-${at}`, JSON.stringify(reported)],
      );
    }
    await bellhop.restartWorker();
    const families = await scrape();
    const count = (status: string) => valueOf(families, "bellhop_credentials_not_delivered", { status });
    expect([count("unbound"), count("other_target")]).toEqual([1, 1]);
    await query(bellhop, "update connections set target_edits = 1 where id = ?", [id]);
    await bellhop.restartWorker();
    // Older agents report no target, and have the credential that was sealed before the edit.
    expect(valueOf(await scrape(), "bellhop_credentials_not_delivered", { status: "other_target" })).toBe(3);
  });

  test("counts missed scheduled runs, whether or not one was started for them", async () => {
    const { id } = await createSchedule(bellhop);
    await tickWhenDue(bellhop, id, 5 * MINUTE_MS);
    await bellhop.restartWorker();
    expect(valueOf(await scrape(), "bellhop_schedule_missed_runs_total")).toBe(5);
    const hourly = await createSchedule(bellhop, { expression: "0 * * * *" });
    await verb(bellhop, id, "deactivate");
    await tickWhenDue(bellhop, hourly.id, 10 * MINUTE_MS);
    await bellhop.restartWorker();
    expect(valueOf(await scrape(), "bellhop_schedule_missed_runs_total")).toBe(6);
  });

  test.skipIf(promtoolMissing !== null)("passes promtool (skipped without Debian's prometheus)", async () => {
    const checked = Bun.spawn([PROMTOOL, "check", "metrics"], {
      stdin: new TextEncoder().encode(await scrapeText()),
      stdout: "pipe",
      stderr: "pipe",
    });
    const said = (await new Response(checked.stdout).text()) + (await new Response(checked.stderr).text());
    expect({ code: await checked.exited, said }).toEqual({ code: 0, said: "" });
  });
});

test("without the database a scrape says so, and still has the pools' numbers", async () => {
  const before = await scrape();
  expect(valueOf(before, "bellhop_source_up", { source: "database" })).toBe(1);
  await bellhop.stopLibsql();
  const families = await scrapeThatShows(
    "that the database is away",
    (found) => valueOf(found, "bellhop_source_up", { source: "database" }) === 0,
  );
  expect(families.has("bellhop_executions_finished_total")).toBe(false);
  expect(valueOf(families, "bellhop_pool_queue_depth", { pool: "empty" })).toBe(2);
  await bellhop.startLibsql();
  await scrapeThatShows(
    "that it is back",
    (found) => valueOf(found, "bellhop_source_up", { source: "database" }) === 1,
  );
});

test("without the database a reader of the API is refused, and the metrics token is not", async () => {
  await bellhop.stopLibsql();
  try {
    const reader = await fetch(`${bellhop.url}/metrics`, {
      headers: { Authorization: `Bearer bht_${"a".repeat(43)}` },
    });
    expect(reader.status).not.toBe(200);
    await scrapeText();
  } finally {
    await bellhop.startLibsql();
  }
});
