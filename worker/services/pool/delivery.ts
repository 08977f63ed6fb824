import type { Job } from "../../../schema/contract/agent.ts";
import { JOB_START_WITHIN_SECONDS } from "../../../schema/limits.ts";
import { judgeConnection } from "../../domain/job-connection.ts";
import type { JobConnection } from "../../domain/job-connection.ts";
import { jobDeadline } from "../../domain/job-deadline.ts";
import { deliverJob, endJob, redeliverJob } from "../../domain/job-lifecycle.ts";
import type { PoolJob } from "../../domain/job-lifecycle.ts";
import type { LiveJob } from "./job-book.ts";
import type { Pool } from "./pool.ts";

/** An answer holds at least one job, and then as many as stay under this: a call between objects carries 32 MiB. */
const MAX_ANSWER_CHARS = 8 * 1_024 * 1_024;

/** What one poll's answer gives to an agent; stored before the answer goes out. */
export class Delivery {
  readonly jobs: Job[] = [];
  /** How many of them the agent has not been given before. */
  firstCount = 0;
  readonly #pool: Pool;
  readonly #to: { agentId: string; journalId: string };
  readonly #now: number;
  #chars = 0;

  constructor(pool: Pool, to: { agentId: string; journalId: string }, now: number) {
    this.#pool = pool;
    this.#to = to;
    this.#now = now;
  }

  /** Gives the lease to this agent. */
  first(live: LiveJob, connection: JobConnection | null): void {
    const lease = this.#pool.world.newLease();
    if (this.#give(live, deliverJob(live.job, { ...this.#to, lease }, this.#now), lease, connection)) {
      this.firstCount += 1;
    }
  }

  /** Sends it once more under its lease. The agent has not begun it, so a connection that ended meanwhile ends it. */
  again(live: LiveJob, connection: JobConnection | null): void {
    const { stage, facts } = live.job;
    if (stage.type !== "delivered") return;
    const verdict = judgeConnection(facts, connection);
    if (verdict.type === "end") this.#pool.jobs.change(live, endJob(live.job, verdict.end, this.#now));
    else this.#give(live, redeliverJob(live.job, this.#now), stage.lease, connection);
  }

  #give(live: LiveJob, job: PoolJob, lease: string, connection: JobConnection | null): boolean {
    const stored = this.#pool.jobs.orderOf(live);
    if (stored === null || (this.jobs.length > 0 && this.#chars + stored.chars > MAX_ANSWER_CHARS)) return false;
    this.#chars += stored.chars;
    const { order } = stored;
    this.#pool.jobs.change(live, job);
    const deadline = jobDeadline(job);
    if (deadline !== null) this.#pool.alarm.by(deadline.at);
    this.jobs.push({
      id: order.jobId,
      kind: order.kind,
      lease,
      action: order.action,
      effect: order.effect,
      connection: connection === null ? null : { id: connection.id, type: connection.type, config: connection.config },
      params: order.params,
      values: { ...order.values },
      timeoutSeconds: order.timeoutSeconds,
      startWithinSeconds: JOB_START_WITHIN_SECONDS,
      attempt: order.attempt,
    });
    return true;
  }
}
