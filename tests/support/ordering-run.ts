import type { AgentJobOrder, JobReport } from "../../worker/domain/job-order.ts";
import type { PoolHarness } from "./pool-harness.ts";

interface Ordered {
  order: AgentJobOrder;
  status: "queued" | "cancelled" | JobReport["status"];
}

/**
 * Run and libSQL as Pools see them: what is ordered where, and which ends were taken. It commits first and calls Pools
 * afterwards; what a call did not bring is told again by `retell`.
 */
export class OrderingRun {
  /** Whether it fails to take a report: before it has committed, or when only the answer is lost. */
  takingFails: "before" | "after" | null = null;
  /** Whether its own calls of Pools fail. */
  tellingFails = false;
  /** When set, the answer to a report waits for it. */
  answerGate: Promise<void> | null = null;
  readonly jobs = new Map<string, Ordered>();
  /** The ends that were committed, in turn. */
  readonly ends: JobReport[] = [];
  readonly #pools: ReadonlyMap<string, PoolHarness>;

  constructor(pools: ReadonlyMap<string, PoolHarness>) {
    this.#pools = pools;
    for (const harness of pools.values()) harness.run = this;
  }

  /** Orders a job, or tells its order again. */
  order(order: AgentJobOrder): void {
    if (!this.jobs.has(order.jobId)) this.jobs.set(order.jobId, { order, status: "queued" });
    this.#tell(order.jobId);
  }

  cancel(jobId: string): void {
    const job = this.jobs.get(jobId);
    if (job?.status === "queued") job.status = "cancelled";
    this.#tell(jobId);
  }

  /** What the sweeper and a woken Run do. */
  retell(): void {
    for (const jobId of this.jobs.keys()) this.#tell(jobId);
  }

  async take(report: JobReport): Promise<void> {
    if (this.takingFails === "before") throw new Error("the run is not reached");
    this.#commit(report);
    await this.answerGate;
    if (this.takingFails === "after") throw new Error("the run's answer is lost");
  }

  #commit(report: JobReport): void {
    const job = this.jobs.get(report.jobId);
    if (job?.status !== "queued") return;
    const { reroute } = report;
    if (reroute === undefined) {
      job.status = report.status;
      this.ends.push(report);
      return;
    }
    // The conditional update of `rerouteJob` in worker/store/jobs.ts.
    if ((job.order.reroutes ?? 0) < reroute.reroutes) job.order = { ...job.order, ...reroute };
    this.#tell(report.jobId);
  }

  #tell(jobId: string): void {
    const job = this.jobs.get(jobId);
    if (job === undefined || this.tellingFails) return;
    const pool = this.#pools.get(job.order.poolObject);
    if (job.status === "queued") pool?.enqueue(job.order);
    if (job.status === "cancelled" && pool !== undefined) pool.dispatcher.cancel([jobId]);
  }
}
