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

const SECRET = "tok-0f-the-matrix";
const job = (action: string | null, script = ""): JobToRun => ({
  type: "custom",
  action,
  config: { fields: { REGION: "eu" } },
  secrets: { DEPLOY_TOKEN: SECRET },
  params: action === null ? {} : { script },
});
const endless = (file: string) => job("script.bash", `echo "$DEPLOY_TOKEN"; sleep 300 & echo $! > ${file}; wait`);

connectionMatrix("custom", {
  action: {
    run: async () => {
      const script = `import os; print(os.environ["REGION"], len(os.environ["DEPLOY_TOKEN"]), os.environ["DEPLOY_TOKEN"])`;
      const result = await runJob(job("script.python", script));
      expect(result).toMatchObject({ status: "succeeded", output: { stdout: `eu ${SECRET.length} ***\n` } });
    },
  },
  "bad credentials": {
    run: async () => {
      const result = await runJob({ ...job("script.bash", "echo ran"), secrets: { PATH: "/3vil", OTHER: "x" } });
      expect(result).toMatchObject({ status: "failed", output: null, error: { code: "invalid_credential" } });
      expect(result.error?.message).toContain("the secret PATH");
      const none = await runJob({ ...job(null), secrets: null });
      expect(none.output).toMatchObject({ ok: false });
      expect(JSON.stringify(none.output)).toContain("Deliver its secrets");
    },
  },
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
        output: { stdout: "***\n" },
        error: { code: "timed_out", message: expect.stringContaining("Its process group was ended.") },
      });
      expect(isRunning(child)).toBe(false);
    },
  },
  cancel: {
    run: async () => {
      const file = join(state.path, "cancelled");
      const begun = await beginJob(endless(file));
      const child = await pidIn(file);
      begun.cancel();
      expect(await begun.result).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
      expect(isRunning(child)).toBe(false);
    },
  },
  "oversize output": {
    run: async () => {
      const result = await runJob(job("script.bash", 'for i in $(seq 40000); do echo "$i $DEPLOY_TOKEN"; done'));
      expect(result).toMatchObject({ status: "succeeded", output: { truncated: true } });
      const text = JSON.stringify(result.output);
      expect(Buffer.byteLength(text)).toBeLessThan(524_288);
      expect(text).not.toContain("tok-0f");
    },
  },
  "connection test": {
    run: async () => {
      const result = await runJob(job(null));
      expect(result).toMatchObject({ status: "succeeded", output: { ok: true } });
      expect(result.output?.["checks"]).toMatchObject([
        { name: "bash", ok: true },
        { name: "python" },
        { name: "powershell" },
        { name: "Credential", ok: true, detail: "Scripts find: DEPLOY_TOKEN." },
      ]);
      return [result.output?.["checks"]];
    },
  },
});
