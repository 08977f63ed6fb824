import type { JsonObject } from "../../schema/contract/json.ts";
import type { Activity } from "../activity.ts";
import type { AgentConfig } from "../config.ts";
import type { JobPrograms } from "../isolation/choose-programs.ts";
import type { JobRunner } from "../job-runner.ts";
import type { Journal } from "../journal/index.ts";
import { renderMetrics } from "./metrics.ts";
import { fingerprintOf } from "../vault/crypto.ts";
import type { Vault } from "../vault/index.ts";
import { AGENT_VERSION } from "../version.ts";

export interface StatusSources {
  config: AgentConfig;
  activity: Activity;
  journal: Journal;
  runner: JobRunner;
  vault: Vault;
  jobPrograms: Pick<JobPrograms, "isolation" | "reason">;
  instanceId: string;
}

/** `GET /v1/status`: the agent's state, and the fingerprint that people compare to deliver credentials. */
export function statusOf({
  config,
  activity,
  journal,
  runner,
  vault,
  jobPrograms,
  instanceId,
}: StatusSources): JsonObject {
  return {
    agentId: activity.agentId,
    poolId: activity.poolId,
    name: config.name,
    version: AGENT_VERSION,
    instanceId,
    journalId: journal.journalId,
    service: config.apiUrl,
    connected: activity.connected,
    wake: activity.wake,
    wakeSince: isoTime(activity.wakeSince),
    pollAfterSeconds: activity.pollAfterSeconds,
    enabled: activity.enabled,
    lastError: activity.connected ? null : activity.lastError,
    startedAt: isoTime(activity.startedAt),
    lastPollAt: isoTime(activity.lastPollAt),
    lastHeartbeatAt: isoTime(activity.lastHeartbeatAt),
    isolation: jobPrograms.isolation,
    isolationReason: jobPrograms.reason,
    maxConcurrentJobs: config.maxConcurrentJobs,
    runningJobs: runner
      .running()
      .map(({ jobId, kind, action, startedAt }) => ({ jobId, kind, action, startedAt: isoTime(startedAt) })),
    unacknowledgedResults: journal.owed().length,
    journal: { writable: journal.writable, condition: journal.condition },
    vault: {
      state: vault.isOpen ? "open" : "opening",
      credentials: vault.versions().length,
      fingerprint: fingerprintOf(vault.publicKey),
      publicKey: { ...vault.publicKey },
      lost: vault.lost === null ? null : { ...vault.lost },
    },
  };
}

/** `GET /metrics`. */
export function metricsOf({ config, activity, journal, runner, vault }: StatusSources): string {
  return renderMetrics(activity, {
    version: AGENT_VERSION,
    runningJobs: runner.size,
    maxConcurrentJobs: config.maxConcurrentJobs,
    owedResults: journal.owed().length,
    journalWritable: journal.writable,
    credentials: vault.versions().length,
    residentBytes: process.memoryUsage.rss(),
    now: Date.now(),
  });
}

function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
