import { afterAll, beforeAll, expect } from "bun:test";
import { connectionMatrix } from "../support/connection-matrix.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { Nginx, NGINX_LARGE_BYTES, NGINX_TOKEN, nginxMissing } from "../support/nginx.ts";
import { beginJob, type JobToRun, runJob, runUntilTimeOut } from "../support/run-job.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";

let stuck: ScriptedServer;
let nginx: Nginx;
beforeAll(async () => {
  if (nginxMissing !== null) return;
  stuck = await startScriptedServer(() => null);
  nginx = await Nginx.start({ stuckPort: stuck.port });
});
afterAll(async () => {
  await nginx?.stop();
  await stuck?.stop();
});

function get(path: string, changes: Partial<JobToRun> = {}): JobToRun {
  return {
    type: "http",
    action: "http.request",
    config: { baseUrl: nginx.url, authType: "bearer" },
    secrets: { token: NGINX_TOKEN },
    params: { path },
    ...changes,
  };
}

connectionMatrix("http", {
  action: {
    skip: nginxMissing,
    run: async () => {
      const result = await runJob(get("/bearer/"));
      expect(result).toMatchObject({ status: "succeeded", output: { statusCode: 200 } });
      expect(result.output?.["body"]).toContain("It works");
    },
  },
  "bad credentials": {
    skip: nginxMissing,
    run: async () => {
      const result = await runJob(get("/bearer/", { secrets: { token: "wrong-token" } }));
      expect(result).toMatchObject({
        status: "failed",
        error: { code: "http_status" },
        output: { statusCode: 401 },
      });
      expect(result.error?.message).toContain("deliver it again");
    },
  },
  unreachable: {
    skip: nginxMissing,
    run: async () => {
      const config = { baseUrl: `http://127.0.0.1:${await freePort()}`, authType: "none" };
      const result = await runJob(get("/", { config }));
      expect(result).toMatchObject({ status: "failed", error: { code: "unreachable" } });
    },
  },
  "time-out": {
    skip: nginxMissing,
    run: async () => {
      const result = await runUntilTimeOut(get("/stuck?time-out"), "the request to have arrived", () =>
        stuck.lines.some((line) => line.includes("time-out")),
      );
      expect(result).toMatchObject({ status: "timed_out", error: { code: "timed_out" } });
      // nginx's own status for a caller that disconnected.
      expect(await nginx.logged("/stuck?time-out")).toStartWith("499 ");
    },
  },
  cancel: {
    skip: nginxMissing,
    run: async () => {
      const job = await beginJob(get("/stuck?cancel"));
      await eventually("the request to have arrived", () => stuck.lines.some((line) => line.includes("cancel")));
      job.cancel();
      expect(await job.result).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
      expect(await nginx.logged("/stuck?cancel")).toStartWith("499 ");
    },
  },
  "oversize output": {
    skip: nginxMissing,
    run: async () => {
      const result = await runJob(get("/large"));
      expect(result).toMatchObject({ status: "succeeded", output: { truncated: true } });
      expect(Buffer.byteLength(JSON.stringify(result.output))).toBeLessThan(524_288);
      const [, sentBytes] = (await nginx.logged("GET /large")).split(" ");
      expect(Number(sentBytes)).toBeLessThan(NGINX_LARGE_BYTES);
    },
  },
  "connection test": {
    skip: nginxMissing,
    run: async () => {
      const config = { baseUrl: `${nginx.url}/bearer/`, authType: "bearer" };
      const result = await runJob(get("", { action: null, params: {}, config }));
      expect(result).toMatchObject({ status: "succeeded", output: { ok: true } });
      expect(result.output?.["checks"]).toMatchObject([{ name: "HTTP request" }, { name: "Authentication" }]);
      return [result.output?.["checks"]];
    },
  },
});
