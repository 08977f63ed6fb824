import { createInterface } from "node:readline";
import { type BegunJob, beginJob } from "./run-job.ts";
import { orderSchema } from "./trusting-agent.ts";

/** The other end of `TrustingAgent`: takes jobs line by line, and answers each with its result. */
const running = new Map<number, BegunJob>();
for await (const line of createInterface({ input: process.stdin })) {
  const order = orderSchema.parse(JSON.parse(line));
  if ("cancel" in order) running.get(order.cancel)?.cancel();
  else if ("timeOut" in order) running.get(order.timeOut)?.timeOut();
  else void run(order.id, await beginJob(order.job));
}

async function run(id: number, job: BegunJob): Promise<void> {
  running.set(id, job);
  const answer = await job.result.then(
    (result) => ({ id, result }),
    (problem: unknown) => ({ id, problem: String(problem) }),
  );
  process.stdout.write(`${JSON.stringify(answer)}\n`);
  running.delete(id);
}
