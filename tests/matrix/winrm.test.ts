import { afterAll, beforeAll, expect } from "bun:test";
import { join } from "node:path";
import { connectionMatrix } from "../support/connection-matrix.ts";
import { freePort } from "../support/free-port.ts";
import { isRunning, pidIn } from "../support/processes.ts";
import { beginJob, type JobToRun, runJob } from "../support/run-job.ts";
import { gone, outputFetched } from "../support/winrm-jobs.ts";
import { WinrmServer, winrmServerMissing } from "../support/winrm-server/index.ts";

let server: WinrmServer;
beforeAll(async () => {
  if (winrmServerMissing === null) server = await WinrmServer.start();
});
afterAll(() => (winrmServerMissing === null ? server.stop() : undefined));

const skip = winrmServerMissing;

function job(action: string | null, params: JobToRun["params"] = {}): JobToRun {
  return {
    type: "winrm",
    config: { host: server.host, port: server.port, useSsl: false, authMethod: "ntlm" },
    secrets: { username: "CORP\\ops", password: server.password },
    action,
    params,
  };
}

/** A command that writes its process id to a file, and would run for minutes. */
function endless(name: string): JobToRun {
  return job("winrm.executeCommand", { command: `echo begun; echo $$ > ${join(server.directory, name)}; sleep 300` });
}

connectionMatrix("winrm", {
  action: {
    skip,
    run: async () => {
      const script = { ...job("winrm.executeScript", { script: 'echo "hello $NAME"' }), values: { NAME: "Ada" } };
      expect(await runJob(script)).toMatchObject({
        status: "succeeded",
        output: { stdout: "hello Ada\n", stderr: "", exitCode: 0 },
      });
      expect(await runJob(job("winrm.executeCommand", { command: "echo hello" }))).toMatchObject({
        status: "succeeded",
        output: { stdout: "hello\n" },
      });
    },
  },
  "bad credentials": {
    skip,
    run: async () => {
      const secrets = { username: "CORP\\ops", password: "not-the-password" };
      const result = await runJob({ ...job("winrm.executeCommand", { command: "echo a" }), secrets });
      expect(result).toMatchObject({ status: "failed", error: { code: "authentication_failed" } });
      expect(result.error?.message).toContain("Check the user name and the password");
    },
  },
  unreachable: {
    skip,
    run: async () => {
      const { config, ...rest } = job("winrm.executeCommand", { command: "echo a" });
      const port = await freePort();
      const result = await runJob({ ...rest, config: { ...config, port } });
      expect(result).toMatchObject({ status: "failed", error: { code: "unreachable" } });
      expect(result.error?.message).toContain(`127.0.0.1:${port} refused the connection`);
    },
  },
  "time-out": {
    skip,
    run: async () => {
      const begun = await beginJob(endless("timed-out"));
      const pid = await pidIn(join(server.directory, "timed-out"));
      await outputFetched(server, "begun\n");
      begun.timeOut();
      const result = await begun.result;
      expect(result).toMatchObject({
        status: "timed_out",
        output: { stdout: "begun\n" },
        error: { code: "timed_out" },
      });
      expect(result.error?.message).toContain("The remote command was terminated and its shell deleted.");
      await gone([pid]);
    },
  },
  cancel: {
    skip,
    run: async () => {
      const begun = await beginJob(endless("cancelled"));
      const pid = await pidIn(join(server.directory, "cancelled"));
      expect(isRunning(pid)).toBe(true);
      begun.cancel();
      expect(await begun.result).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
      await gone([pid]);
    },
  },
  "oversize output": {
    skip,
    run: async () => {
      const command = "head -c 1000000 /dev/zero | tr '\\0' x; head -c 1000000 /dev/zero | tr '\\0' y >&2";
      const result = await runJob(job("winrm.executeCommand", { command }));
      expect(result).toMatchObject({ status: "succeeded", output: { truncated: true, exitCode: 0 } });
      expect(Buffer.byteLength(JSON.stringify(result.output))).toBeLessThan(524_288);
    },
  },
  "connection test": {
    skip,
    run: async () => {
      const result = await runJob(job(null));
      expect(result).toMatchObject({
        status: "succeeded",
        output: {
          ok: true,
          checks: [
            { name: "TCP connection", ok: true },
            { name: "WinRM", ok: true },
            { name: "Authentication", ok: true },
          ],
        },
      });
      const denied = await runJob({ ...job(null), secrets: { username: "CORP\\ops", password: "not-the-password" } });
      expect(denied.output).toMatchObject({ ok: false });
      expect(JSON.stringify(denied.output?.["checks"])).toContain("Check the user name and the password");
      return [result, denied].map(({ output }) => output?.["checks"]);
    },
  },
});
