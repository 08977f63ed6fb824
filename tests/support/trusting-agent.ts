import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { z } from "zod";
import { jobResultSchema, type JobResult } from "../../schema/contract/agent.ts";
import type { BegunJob, JobToRun } from "./run-job.ts";

const answerSchema = z.union([
  z.object({ id: z.number(), result: jobResultSchema }),
  z.object({ id: z.number(), problem: z.string() }),
]);

/** An order to the process, one line of JSON. */
export const orderSchema = z.union([
  z.object({ id: z.number(), job: z.custom<JobToRun>() }),
  z.object({ cancel: z.number() }),
  z.object({ timeOut: z.number() }),
]);

/**
 * Runs jobs as `runJob` does, in a process that trusts the test's authority: the runtime reads NODE_EXTRA_CA_CERTS only
 * at its start. `environment` adds variables to the process, such as a proxy.
 */
export class TrustingAgent {
  readonly #child: Bun.Subprocess<"pipe", "pipe", "inherit">;
  readonly #waiting = new Map<number, PromiseWithResolvers<JobResult>>();
  #lastId = 0;

  constructor(authorityFile: string, environment: Record<string, string> = {}) {
    this.#child = Bun.spawn([process.execPath, join(import.meta.dir, "trusting-agent-process.ts")], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: authorityFile, ...environment },
      stdio: ["pipe", "pipe", "inherit"],
    });
    void this.#read();
  }

  run(job: JobToRun): Promise<JobResult> {
    return this.begin(job).result;
  }

  begin(job: JobToRun): BegunJob {
    const id = (this.#lastId += 1);
    const answered = Promise.withResolvers<JobResult>();
    this.#waiting.set(id, answered);
    this.#send({ id, job });
    return {
      result: answered.promise,
      cancel: () => this.#send({ cancel: id }),
      timeOut: () => this.#send({ timeOut: id }),
    };
  }

  async stop(): Promise<void> {
    this.#child.kill();
    await this.#child.exited;
  }

  #send(order: unknown): void {
    this.#child.stdin.write(`${JSON.stringify(order)}\n`);
    void this.#child.stdin.flush();
  }

  async #read(): Promise<void> {
    for await (const line of createInterface({ input: Readable.from(this.#child.stdout) })) {
      const answer = answerSchema.parse(JSON.parse(line));
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if ("result" in answer) waiting?.resolve(answer.result);
      else waiting?.reject(new Error(answer.problem));
    }
  }
}
