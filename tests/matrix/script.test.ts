import { afterAll, beforeAll, expect } from "bun:test";
import { join } from "node:path";
import { connectionMatrix } from "../support/connection-matrix.ts";
import { temporaryState } from "../support/executor-context.ts";
import { isRunning, pidIn } from "../support/processes.ts";
import { beginJob, runJob, type JobToRun } from "../support/run-job.ts";

let state: { path: string; remove: () => Promise<void> };
beforeAll(async () => {
  state = await temporaryState();
});
afterAll(() => state.remove());

const bash = (script: string): JobToRun => ({ type: "script", action: "script.bash", params: { script } });
/** Writes its child's process id to a file, and would run for long. */
const endless = (file: string) => bash(`echo begun; sleep 300 & echo $! > ${file}; wait`);

connectionMatrix("script", {
  action: {
    run: async () => {
      const result = await runJob(bash("echo hello"));
      expect(result).toMatchObject({ status: "succeeded", output: { stdout: "hello\n", exitCode: 0 } });
    },
  },
  "bad credentials": { skip: "a script connection has no credential" },
  unreachable: { skip: "a script runs on the agent's own host" },
  "time-out": {
    run: async () => {
      const file = join(state.path, "timed-out");
      const begun = await beginJob(endless(file));
      const child = await pidIn(file);
      expect(isRunning(child)).toBe(true);
      begun.timeOut();
      const result = await begun.result;
      expect(result).toMatchObject({
        status: "timed_out",
        output: { stdout: "begun\n" },
        error: { code: "timed_out", message: expect.stringContaining("Its process group was ended.") },
      });
      expect(isRunning(child)).toBe(false);
    },
  },
  cancel: {
    run: async () => {
      const file = join(state.path, "cancelled");
      const job = await beginJob(endless(file));
      const child = await pidIn(file);
      expect(isRunning(child)).toBe(true);
      job.cancel();
      expect(await job.result).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
      expect(isRunning(child)).toBe(false);
    },
  },
  "oversize output": {
    run: async () => {
      const result = await runJob(bash("head -c 1000000 /dev/zero | tr '\\0' x"));
      expect(result).toMatchObject({ status: "succeeded", output: { truncated: true } });
      expect(Buffer.byteLength(JSON.stringify(result.output))).toBeLessThan(524_288);
    },
  },
  "connection test": {
    run: async () => {
      const result = await runJob({ type: "script", action: null });
      expect(result).toMatchObject({ status: "succeeded", output: { ok: true } });
      expect(result.output?.["checks"]).toMatchObject([
        { name: "bash", ok: true, detail: expect.stringContaining("version") },
        { name: "python" },
        { name: "powershell" },
      ]);
      return [result.output?.["checks"]];
    },
  },
});
