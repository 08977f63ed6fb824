import { afterAll, beforeAll, expect } from "bun:test";
import { OUTPUT_MAX_BYTES } from "../../schema/limits.ts";
import { connectionMatrix } from "../support/connection-matrix.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { REDIS_PASSWORD, RedisServer, redisMissing } from "../support/redis.ts";
import { beginJob, runJob, runUntilTimeOut } from "../support/run-job.ts";
import type { JobToRun } from "../support/run-job.ts";

let redis: RedisServer;
beforeAll(async () => {
  if (redisMissing === null) redis = await RedisServer.start();
});
afterAll(() => redis?.stop());

const skip = redisMissing;
const command = (name: string, ...args: string[]): JobToRun => ({
  type: "redis",
  action: "redis.runCommand",
  config: redis.config,
  secrets: { password: REDIS_PASSWORD },
  params: { command: name, arguments: args },
});
/** Waits for a list that is never filled. */
const blocking = () => command("BLPOP", "nothing", "0");
const isBlocked = async () => (await redis.cli("INFO", "clients")).includes("blocked_clients:1");
const isFree = async () => (await redis.cli("INFO", "clients")).includes("blocked_clients:0");

connectionMatrix("redis", {
  action: {
    skip,
    run: async () => {
      expect(await runJob(command("SET", "greeting", "hello"))).toMatchObject({
        status: "succeeded",
        output: { reply: "OK" },
      });
      expect(await redis.cli("GET", "greeting")).toBe("hello");
    },
  },
  "bad credentials": {
    skip,
    run: async () => {
      const result = await runJob({ ...command("SET", "refused", "1"), secrets: { password: "wrong-password" } });
      expect(result).toMatchObject({ status: "failed", error: { code: "authentication_failed" } });
      expect(await redis.cli("EXISTS", "refused")).toBe("0");
    },
  },
  unreachable: {
    skip,
    run: async () => {
      const result = await runJob({ ...command("PING"), config: { ...redis.config, port: await freePort() } });
      expect(result).toMatchObject({ status: "failed", error: { code: "unreachable" } });
    },
  },
  "time-out": {
    skip,
    run: async () => {
      const result = await runUntilTimeOut(blocking(), "the server waits", isBlocked);
      expect(result).toMatchObject({ status: "timed_out", error: { code: "timed_out" } });
      expect(result.error?.message).toContain("it is not known whether the command was carried out");
      await eventually("the server sees the connection end", isFree);
    },
  },
  cancel: {
    skip,
    run: async () => {
      const job = await beginJob(blocking());
      await eventually("the server waits", isBlocked);
      job.cancel();
      expect(await job.result).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
      await eventually("the server sees the connection end", isFree);
    },
  },
  "oversize output": {
    skip,
    run: async () => {
      await redis.cli("SETRANGE", "large", "1000000", "x");
      const result = await runJob(command("GET", "large"));
      expect(result).toMatchObject({ status: "succeeded", output: { truncated: true } });
      expect(Buffer.byteLength(JSON.stringify(result.output))).toBeLessThanOrEqual(OUTPUT_MAX_BYTES);
    },
  },
  "connection test": {
    skip,
    run: async () => {
      const result = await runJob({ ...command(""), action: null, params: {} });
      expect(result).toMatchObject({ status: "succeeded", output: { ok: true } });
      return [result.output?.["checks"]];
    },
  },
});
