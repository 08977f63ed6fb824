import type { Job } from "../../../schema/contract/agent.ts";
import { JOB_START_WITHIN_SECONDS } from "../../../schema/limits.ts";
import { sealedWorkflows } from "../../../schema/contract/usable-by.ts";
import { inabilityFor } from "../../actors/dispatcher/rules/abilities.ts";
import type { JobConnection } from "../../actors/dispatcher/rules/job-connection.ts";
import { jobDeadline } from "../../actors/dispatcher/rules/job-deadline.ts";
import { deliverJob, endJob, redeliverJob, wireAttempt } from "../../actors/dispatcher/rules/job.ts";
import type { PoolJob } from "../../actors/dispatcher/rules/job.ts";
import { featuresNow, needsCredential, verdictOn } from "./apply-connection.ts";
import type { LiveJob } from "./job-book.ts";
import { abilitiesOf, usableCredentials } from "./pool-agent.ts";
import type { PoolAgent } from "./pool-agent.ts";
import type { Pool } from "./pool.ts";
import type { Readings } from "./read-connections.ts";

/** An answer holds at least one job, and then as many as stay under this: a call between objects carries 32 MiB. */
const MAX_ANSWER_CHARS = 8 * 1_024 * 1_024;

/** What one poll's answer gives to an agent; stored before the answer goes out. */
export class Delivery {
  readonly jobs: Job[] = [];
  /** How many of them the agent has not been given before. */
  firstCount = 0;
  readonly #pool: Pool;
  readonly #to: { agentId: string; journalId: string };
  readonly #readings: Readings;
  readonly #now: number;
  #chars = 0;

  constructor(
    pool: Pool,
    { to, readings }: { to: { agentId: string; journalId: string }; readings: Readings },
    now: number,
  ) {
    this.#pool = pool;
    this.#to = to;
    this.#readings = readings;
    this.#now = now;
  }

  /** Gives the lease to this agent. */
  first(live: LiveJob): void {
    const lease = this.#pool.world.newLease();
    if (this.#give(live, deliverJob(live.job, { ...this.#to, lease }, this.#now), lease)) {
      this.firstCount += 1;
    }
  }

  /** Sends it once more under its lease. The agent has not begun it, so a connection that ended meanwhile ends it. */
  again(live: LiveJob, agent: PoolAgent): void {
    const credentials = usableCredentials(agent);
    const { stage, facts } = live.job;
    if (stage.type !== "delivered") return;
    const verdict = verdictOn(this.#pool, live, this.#readings);
    if (verdict.type === "end") {
      this.#pool.jobs.change(live, endJob(live.job, verdict.end, this.#now, verdict.why));
      return;
    }
    const isInNeed =
      verdict.type === "run" && needsCredential(this.#pool, live, verdict) && !credentials.has(facts.connectionId);
    if (inabilityFor({ ...facts, features: featuresNow(live, this.#readings) }, abilitiesOf(agent)) !== null) return;
    if (isInNeed || (facts.secretsFrom !== undefined && !credentials.has(facts.secretsFrom))) return;
    this.#give(live, redeliverJob(live.job, this.#now), stage.lease);
  }

  #give(live: LiveJob, job: PoolJob, lease: string): boolean {
    const stored = this.#pool.jobs.orderOf(live);
    if (stored === null) return false;
    const sync = this.#readings.syncOf(live);
    const chars = stored.chars + (sync?.params.jwe?.length ?? 0);
    if (this.jobs.length > 0 && this.#chars + chars > MAX_ANSWER_CHARS) return false;
    this.#chars += chars;
    const { order } = stored;
    const used = this.#readings.connectionOf(live);
    const secretsConnection = this.#readings.secretsConnectionOf(live);
    this.#pool.jobs.change(live, job);
    const deadline = jobDeadline(job);
    if (deadline !== null) this.#pool.alarm.by(deadline.at);
    this.jobs.push({
      id: order.jobId,
      kind: order.kind,
      lease,
      action: order.action,
      ...(order.executionId === null ? {} : { executionId: order.executionId }),
      ...(order.workflowId === null ? {} : { workflowId: order.workflowId }),
      effect: order.effect,
      connection: sync?.connection ?? (used === null ? null : asAgentsGetIt(used)),
      ...(secretsConnection === null ? {} : { secretsConnection: asAgentsGetIt(secretsConnection) }),
      params: sync === null ? order.params : { ...sync.params },
      values: { ...order.values },
      timeoutSeconds: order.timeoutSeconds,
      startWithinSeconds: JOB_START_WITHIN_SECONDS,
      attempt: wireAttempt(live.job.facts),
    });
    return true;
  }
}

function asAgentsGetIt({ id, type, config, usableBy }: JobConnection): NonNullable<Job["connection"]> {
  const workflows = sealedWorkflows(usableBy);
  return { id, type, config, ...(workflows === null ? {} : { workflows }) };
}
