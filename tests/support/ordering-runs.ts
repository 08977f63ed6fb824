import type { AgentJobOrder, JobReport } from "../../worker/domain/job-order.ts";
import type { DispatcherHarness } from "./dispatcher-harness.ts";

interface Ordered {
  order: AgentJobOrder;
  status: "queued" | "cancelled" | JobReport["status"];
}

/**
 * `WorkflowRuns` and libSQL from the dispatchers' point of view: where each job is ordered, and which ends were
 * accepted. It commits first and calls dispatchers afterwards; `orderAgain` repeats failed calls.
 */
export class OrderingRuns {
  /** Whether it fails to accept a report: before the commit, or with only the answer lost. */
  takingFails: "before" | "after" | null = null;
  /** Whether its calls of dispatchers fail. */
  callsFail = false;
  /** When set, the answer to a report waits for it. */
  answerGate: Promise<void> | null = null;
  readonly jobs = new Map<string, Ordered>();
  /** The committed ends, in order. */
  readonly ends: JobReport[] = [];
  readonly #dispatchers: ReadonlyMap<string, DispatcherHarness>;

  constructor(dispatchers: ReadonlyMap<string, DispatcherHarness>) {
    this.#dispatchers = dispatchers;
    for (const harness of dispatchers.values()) harness.run = this;
  }

  /** Orders a job, or repeats its order. */
  order(order: AgentJobOrder): void {
    if (!this.jobs.has(order.jobId)) this.jobs.set(order.jobId, { order, status: "queued" });
    this.#publish(order.jobId);
  }

  cancel(jobId: string): void {
    const job = this.jobs.get(jobId);
    if (job?.status === "queued") job.status = "cancelled";
    this.#publish(jobId);
  }

  /** The repetition by the sweeper and a woken object. */
  orderAgain(): void {
    for (const jobId of this.jobs.keys()) this.#publish(jobId);
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
    this.#publish(report.jobId);
  }

  #publish(jobId: string): void {
    const job = this.jobs.get(jobId);
    if (job === undefined || this.callsFail) return;
    const harness = this.#dispatchers.get(job.order.poolObject);
    if (job.status === "queued") harness?.enqueue(job.order);
    if (job.status === "cancelled" && harness !== undefined) harness.dispatcher.cancel([jobId]);
  }
}
