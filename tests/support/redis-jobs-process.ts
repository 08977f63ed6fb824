import { runAction, runTest, type TestJob } from "./executor-context.ts";

/**
 * Runs jobs of Redis one by one and prints their results as JSON. A separate process turns an uncaught exception into
 * an exit code.
 */
const jobs: { action: string | null; job: TestJob }[] = JSON.parse(process.argv[2] ?? "[]");
const results: unknown[] = [];
for (const { action, job } of jobs) {
  results.push(await (action === null ? runTest("redis", job) : runAction("redis", action, job)));
}
process.stdout.write(JSON.stringify(results));
