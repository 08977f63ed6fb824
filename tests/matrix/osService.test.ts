import { afterAll, beforeAll, beforeEach, expect } from "bun:test";
import { connectionMatrix } from "../support/connection-matrix.ts";
import { eventually } from "../support/eventually.ts";
import { beginJob, runJob, runUntilTimeOut } from "../support/run-job.ts";
import { Systemd, systemdMissing } from "../support/systemd/index.ts";

const path = process.env["PATH"];
let machine: Systemd;

if (systemdMissing === null) {
  beforeAll(async () => {
    machine = await Systemd.start();
    await machine.install({
      "web.service": "[Service]\nExecStart=/bin/sleep 1000\n",
      "slow.service": "[Service]\nType=oneshot\nTimeoutStartSec=infinity\nExecStart=/bin/sleep 1000\n",
      "chatty.service":
        "[Service]\nType=oneshot\nExecStart=/bin/sh -c 'for i in $(seq 40); do head -c 30000 /dev/zero | tr \"\\\\0\" x; echo; done; exit 1'\n",
    });
  });
  beforeEach(() => {
    process.env["PATH"] = machine.programs;
  });
  afterAll(async () => {
    process.env["PATH"] = path;
    await machine.stop();
  });
}

connectionMatrix("osService", {
  action: {
    skip: systemdMissing,
    run: async () => {
      const result = await runJob(job("restart", "web"));
      expect(result).toMatchObject({ status: "succeeded", output: { exitCode: 0, activeState: "active" } });
      expect(await machine.systemctl("is-active", "web")).toBe("active");
    },
  },
  "bad credentials": {
    skip: "an OS service connection has no credential; a user without rights is in tests/executors",
  },
  unreachable: {
    skip: systemdMissing,
    run: async () => {
      process.env["PATH"] = "/nowhere";
      const result = await runJob(job("restart", "web"));
      expect(result).toMatchObject({ status: "failed", error: { code: "service_manager_missing" } });
    },
  },
  "time-out": {
    skip: systemdMissing,
    run: async () => {
      const result = await runUntilTimeOut(
        job("start", "slow"),
        "systemctl waits for the service",
        async () => (await machine.systemctl("is-active", "slow")) === "activating",
      );
      expect(result).toMatchObject({
        status: "timed_out",
        output: { activeState: "activating" },
        error: { code: "timed_out", message: expect.stringContaining("systemd continues to start slow.service") },
      });
      expect(machine.isRunning("start -- slow.service")).toBe(false);
      await machine.systemctl("stop", "slow");
    },
  },
  cancel: {
    skip: systemdMissing,
    run: async () => {
      const begun = await beginJob(job("start", "slow"));
      await eventually("systemctl waits for the service", () => machine.isRunning("start -- slow.service"));
      begun.cancel();
      expect(await begun.result).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
      expect(machine.isRunning("start -- slow.service")).toBe(false);
      await machine.systemctl("stop", "slow");
    },
  },
  "oversize output": {
    skip: systemdMissing,
    run: async () => {
      const result = await runJob(job("start", "chatty"));
      expect(result).toMatchObject({ status: "failed", error: { code: "service_failed" } });
      expect(String(result.output?.["journal"])).toContain("xxx");
      expect(Buffer.byteLength(JSON.stringify(result.output))).toBeLessThan(32_768);
    },
  },
  "connection test": {
    skip: systemdMissing,
    run: async () => {
      const result = await runJob({ type: "osService", action: null });
      expect(result).toMatchObject({ status: "succeeded", output: { ok: true } });
      expect(JSON.stringify(result.output?.["checks"])).toContain("Service manager");
      return [result.output?.["checks"]];
    },
  },
});

function job(verb: "start" | "stop" | "restart", service: string) {
  return { type: "osService" as const, action: `os.${verb}Service`, params: { service } };
}
