import { expect, test } from "bun:test";
import { debianPeer } from "../support/debian-peer.ts";
import { newActivity, noteFinished } from "../../agent/activity.ts";
import { renderMetrics } from "../../agent/admin/metrics.ts";
import type { Gauges } from "../../agent/admin/metrics.ts";
import { createServiceClient } from "../../agent/service-client.ts";
import { measuredClient } from "../../agent/service/measured-client.ts";
import { FAKE_AGENT_KEY, FakeService } from "../support/fake-service.ts";
import { parsePrometheusText, valueOf } from "../support/prometheus-text.ts";

const PROMTOOL = "/usr/bin/promtool";
const promtoolMissing = debianPeer(PROMTOOL, "prometheus");
const STARTED_AT = 1_000_000;

const gauges: Gauges = {
  version: "1.2.3",
  runningJobs: 2,
  maxConcurrentJobs: 5,
  owedResults: 1,
  journalWritable: true,
  credentials: 3,
  residentBytes: 50_000_000,
  now: STARTED_AT + 90_000,
};

function read(activity = newActivity(STARTED_AT), changes: Partial<Gauges> = {}) {
  return parsePrometheusText(renderMetrics(activity, { ...gauges, ...changes }));
}

test("a new agent has every metric, and counts the seconds since its start without contact", () => {
  const families = read();
  expect(valueOf(families, "bellhop_agent_build_info", { version: "1.2.3" })).toBe(1);
  expect(valueOf(families, "bellhop_agent_connected")).toBe(0);
  expect(valueOf(families, "bellhop_agent_running_jobs")).toBe(2);
  expect(valueOf(families, "bellhop_agent_owed_results")).toBe(1);
  expect(valueOf(families, "bellhop_agent_vault_credentials")).toBe(3);
  expect(valueOf(families, "bellhop_agent_wake_connected")).toBe(0);
  expect(valueOf(families, "bellhop_agent_resident_memory_bytes")).toBe(50_000_000);
  expect(valueOf(families, "bellhop_agent_since_last_poll_seconds")).toBe(90);
  expect(valueOf(families, "bellhop_agent_since_last_heartbeat_seconds")).toBe(90);
  expect(valueOf(families, "bellhop_agent_calls_total", { call: "jobs", outcome: "failed" })).toBe(0);
  expect(valueOf(families, "bellhop_agent_jobs_total", { status: "interrupted" })).toBe(0);
  expect(families.has("bellhop_agent_actions_total")).toBe(false);
});

test("the time since the last answered poll and heartbeat is in seconds", () => {
  const activity = newActivity(STARTED_AT);
  activity.lastPollAt = gauges.now - 4_500;
  activity.lastHeartbeatAt = gauges.now - 31_000;
  activity.pollAfterSeconds = 60;
  const families = read(activity);
  expect(valueOf(families, "bellhop_agent_since_last_poll_seconds")).toBe(4.5);
  expect(valueOf(families, "bellhop_agent_since_last_heartbeat_seconds")).toBe(31);
  expect(valueOf(families, "bellhop_agent_poll_after_seconds")).toBe(60);
  expect(valueOf(read(), "bellhop_agent_poll_after_seconds")).toBe(0);
  expect(valueOf(families, "bellhop_agent_last_poll_timestamp_seconds")).toBe((gauges.now - 4_500) / 1_000);
});

test("finished jobs are counted by status, and by action if the contract has it", () => {
  const activity = newActivity(STARTED_AT);
  noteFinished(activity, "script.bash", "succeeded");
  noteFinished(activity, "script.bash", "failed");
  noteFinished(activity, "ssh.executeCommand", "succeeded");
  noteFinished(activity, null, "succeeded");
  // Names that a service invents must not fill the agent's memory and the scraper's disk.
  for (let i = 0; i < 100; i += 1) noteFinished(activity, `made.up${i}`, "failed");
  const families = read(activity);
  expect(valueOf(families, "bellhop_agent_jobs_total", { status: "succeeded" })).toBe(3);
  expect(valueOf(families, "bellhop_agent_jobs_total", { status: "failed" })).toBe(101);
  expect(valueOf(families, "bellhop_agent_actions_total", { action: "script.bash", status: "failed" })).toBe(1);
  expect(families.get("bellhop_agent_actions_total")?.samples).toHaveLength(10);
});

test("calls to the service are counted by outcome and timed by the monotonic clock", async () => {
  const service = await FakeService.start();
  try {
    const activity = newActivity(STARTED_AT);
    let ms = 0;
    const clock = { now: () => STARTED_AT, monotonicMs: () => (ms += 250) };
    const client = measuredClient(
      createServiceClient({ apiUrl: service.url, apiKey: FAKE_AGENT_KEY }),
      activity,
      clock,
    );
    service.refuseOnce("jobs", 503, "unavailable");
    await expect(client.jobs("none", { capacity: 1, held: [] })).rejects.toThrow("503");
    await expect(client.jobs("none", { capacity: 1, held: [] })).rejects.toThrow("register_again");
    const givenUp = client.heartbeat("none", { held: [], load: 0, version: "1", credentials: [] }, AbortSignal.abort());
    await expect(givenUp).rejects.toThrow("was cancelled");
    const families = read(activity);
    expect(valueOf(families, "bellhop_agent_calls_total", { call: "jobs", outcome: "failed" })).toBe(2);
    expect(valueOf(families, "bellhop_agent_calls_total", { call: "jobs", outcome: "answered" })).toBe(0);
    expect(valueOf(families, "bellhop_agent_calls_total", { call: "heartbeat", outcome: "failed" })).toBe(0);
    expect(valueOf(families, "bellhop_agent_call_seconds_total", { call: "jobs" })).toBe(0.5);
    expect(valueOf(families, "bellhop_agent_last_call_seconds", { call: "jobs" })).toBe(0.25);
  } finally {
    await service.stop();
  }
});

test.skipIf(promtoolMissing !== null)(
  "promtool has no complaints about the metrics (skipped without Debian's prometheus)",
  async () => {
    const activity = newActivity(STARTED_AT);
    noteFinished(activity, "script.bash", "succeeded");
    const checked = Bun.spawn([PROMTOOL, "check", "metrics"], {
      stdin: new TextEncoder().encode(renderMetrics(activity, gauges)),
      stdout: "pipe",
      stderr: "pipe",
    });
    const said = (await new Response(checked.stdout).text()) + (await new Response(checked.stderr).text());
    expect({ code: await checked.exited, said }).toEqual({ code: 0, said: "" });
  },
);
