import type { AgentFeature } from "../../../schema/contract/agent.ts";
import { featuresFor, isOutdated, judgeConnection, outdated } from "../../actors/dispatcher/rules/job-connection.ts";
import type { ConnectionVerdict } from "../../actors/dispatcher/rules/job-connection.ts";
import { endJob, releaseJob, rerouteJob } from "../../actors/dispatcher/rules/job.ts";
import type { LiveJob } from "./job-book.ts";
import type { Pool } from "./pool.ts";
import { isSync } from "./read-connections.ts";
import type { Readings } from "./read-connections.ts";

/**
 * What its connections, read anew, mean for a job that waits: it may run here (true), it ends, or its execution orders it
 * in the Pool that its connection has now.
 */
export function applyConnection(pool: Pool, live: LiveJob, readings: Readings, now: number): boolean {
  const verdict = verdictOn(pool, live, readings);
  switch (verdict.type) {
    case "end":
      pool.jobs.change(live, endJob(live.job, verdict.end, now, verdict.why));
      return false;
    case "reroute":
      pool.jobs.change(live, rerouteJob(live.job, verdict, now));
      return false;
    case "run": {
      const { pinnedAgentId } = verdict;
      pool.jobs.learn(live, needsCredential(pool, live, verdict));
      const features = featuresNow(live, readings);
      const { pinnedAgentId: pinnedBefore, features: featuresBefore = [] } = live.job.facts;
      if (pinnedAgentId !== pinnedBefore || features.join() !== featuresBefore.join()) {
        const { facts, stage } = releaseJob(live.job);
        pool.jobs.change(live, { facts: { ...facts, pinnedAgentId, features }, stage });
      }
      return true;
    }
  }
}

/** What an agent must be able to do to get the job, by its connections as they were read. */
export function featuresNow(live: LiveJob, readings: Readings): AgentFeature[] {
  return featuresFor(live.job.facts, [readings.connectionOf(live), readings.secretsConnectionOf(live)]);
}

/**
 * Whether a job waits for an agent that has the connection's credential for its present target. An older agent would use
 * what it holds for another target, also for a job that could do without. A newer one refuses, and its answer to a test
 * says what to do: a test that no agent could pass goes to it.
 */
export function needsCredential(
  pool: Pool,
  live: LiveJob,
  verdict: Extract<ConnectionVerdict, { type: "run" }>,
): boolean {
  if (isSync(live)) return false;
  const { connectionId, kind } = live.job.facts;
  const unusable = pool.agents.unusableHoldersOf(connectionId);
  if (unusable.length === 0) return verdict.needsCredential;
  if (kind !== "connectionTest") return true;
  const isUsableByAny = pool.agents.holdersOf(connectionId).size > unusable.length;
  return isUsableByAny || unusable.some(({ credentials }) => credentials.get(connectionId)?.target === undefined);
}

/** What libSQL says of a job's connections, or of the credential that it brings. */
export function verdictOn(pool: Pool, live: LiveJob, readings: Readings): ConnectionVerdict {
  const { facts } = live.job;
  if (isSync(live)) {
    if (pool.agents.get(facts.pinnedAgentId ?? "")?.settings.removed === true)
      return { type: "end", end: "agent_moved" };
    if (readings.syncOf(live) === null) return { type: "end", end: "credential_superseded" };
    // Whom it goes to was fixed when the job was made; taking a credential away outlives its connection (design 6).
    return { type: "run", pinnedAgentId: facts.pinnedAgentId, needsCredential: false };
  }
  if (!readings.hasSecrets(live)) return { type: "end", end: "secrets_unavailable" };
  const secrets = readings.secretsConnectionOf(live);
  if (secrets !== null && isOutdated(facts, secrets)) return outdated(secrets);
  const notUsable = readings.notUsableBy(live);
  if (notUsable !== null) {
    return { type: "end", end: "connection_not_usable", why: `It is the connection ${notUsable.id}.` };
  }
  return judgeConnection(facts, readings.connectionOf(live));
}
