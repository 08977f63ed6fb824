import { afterAll, beforeAll, expect } from "bun:test";
import { connectionMatrix } from "../support/connection-matrix.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { FullBacklog, fullBacklogMissing } from "../support/full-backlog.ts";
import { KubernetesApi } from "../support/kubernetes-api/index.ts";
import { beginJob, type JobToRun, runJob, runUntilTimeOut } from "../support/run-job.ts";

let api: KubernetesApi;
beforeAll(async () => {
  api = await KubernetesApi.start();
  api.state.deploy({ name: "web" });
  api.state.addPod("chatty");
  api.state.logs.set("default/chatty/app", { text: "begun\n", endless: "and on\n" });
  api.state.addPod("long");
  api.state.logs.set("default/long/app", { text: `${"x".repeat(99)}\n`.repeat(20_000) });
});
afterAll(async () => {
  await api.stop();
});

const job = (action: string | null, params: JobToRun["params"] = {}, kubeconfig = api.kubeconfig()): JobToRun => ({
  type: "kubernetes",
  secrets: { kubeconfig },
  action,
  params,
});
const readerGone = () => eventually("the log is no longer read", () => api.openStreams === 0);

connectionMatrix("kubernetes", {
  action: {
    run: async () => {
      const result = await runJob(job("kubernetes.restartDeployment", { deployment: "web", wait: true }));
      expect(result).toMatchObject({ status: "succeeded", output: { statusCode: 200, body: { rolledOut: true } } });
    },
  },
  "bad credentials": {
    run: async () => {
      const kubeconfig = api.kubeconfig({ user: { token: "canary-token" } });
      const result = await runJob(job("kubernetes.scaleDeployment", { deployment: "web", replicas: 1 }, kubeconfig));
      expect(result).toMatchObject({ status: "failed", error: { code: "authentication_failed" } });
      expect(JSON.stringify(result)).not.toContain("canary-token");
    },
  },
  unreachable: {
    run: async () => {
      const kubeconfig = api.kubeconfig({ server: `https://127.0.0.1:${await freePort()}` });
      const result = await runJob(job("kubernetes.deletePod", { pod: "web-0" }, kubeconfig));
      expect(result).toMatchObject({ status: "failed", error: { code: "unreachable" } });
      if (fullBacklogMissing !== null) return;
      const dropping = await FullBacklog.start();
      try {
        const dropped = api.kubeconfig({ server: `https://127.0.0.1:${dropping.port}` });
        const [action, tested] = await Promise.all([
          runJob(job("kubernetes.deletePod", { pod: "web-0" }, dropped)),
          runJob(job(null, {}, dropped)),
        ]);
        expect(action).toMatchObject({ status: "failed", error: { code: "unreachable" } });
        expect(action.error?.message).toContain("did not accept a connection in time");
        expect(tested.output?.["checks"]).toMatchObject([{ ok: true }, { name: "TCP connection", ok: false }]);
      } finally {
        await dropping.stop();
      }
    },
  },
  "time-out": {
    run: async () => {
      const result = await runJob({ ...job("kubernetes.getLogs", { pod: "chatty" }), timeoutSeconds: 3 });
      expect(result).toMatchObject({ status: "timed_out", error: { code: "timed_out" } });
      expect(result.output?.["stdout"]).toStartWith("begun\n");
      await readerGone();
      api.intervene = ({ method }) => (method === "PATCH" ? { stall: 200 } : null);
      try {
        const params = { deployment: "web" };
        const restart = job("kubernetes.restartDeployment", params);
        const stalled = await runUntilTimeOut(restart, "the answer stalls", () => api.hanging === 1);
        expect(stalled).toMatchObject({ status: "timed_out", error: { code: "timed_out" } });
        expect(stalled.error?.message).toContain("It is not known whether the restart was begun");
        await eventually("the answer is no longer read", () => api.hanging === 0);
      } finally {
        api.intervene = () => null;
      }
    },
  },
  cancel: {
    run: async () => {
      const begun = await beginJob(job("kubernetes.getLogs", { pod: "chatty" }));
      await eventually("the log is read", () => api.openStreams === 1);
      begun.cancel();
      expect(await begun.result).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
      await readerGone();
    },
  },
  "oversize output": {
    run: async () => {
      const result = await runJob(job("kubernetes.getLogs", { pod: "long" }));
      expect(result).toMatchObject({ status: "succeeded", output: { truncated: true } });
      expect(Buffer.byteLength(JSON.stringify(result.output))).toBeLessThan(524_288);
    },
  },
  "connection test": {
    run: async () => {
      const result = await runJob(job(null));
      expect(result).toMatchObject({ status: "succeeded", output: { ok: true } });
      expect(JSON.stringify(result.output?.["checks"])).toContain("Kubernetes v1.32.4");
      return [result.output?.["checks"]];
    },
  },
});
