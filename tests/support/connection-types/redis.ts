import type { ConnectionCases } from "../connection-case.ts";
import { IN_BRACKETS } from "../connection-case.ts";
import { REDIS_PASSWORD, RedisServer, redisMissing } from "../redis.ts";

export const cases: ConnectionCases = {
  config: { host: "cache.example.com", port: 6379, database: 0, authType: "password", tls: "verify" },
  entry: { type: "redis", host: "cache.example.com", port: 6379, database: 0, authType: "password", tls: "verify" },
  changes: [
    { host: "other.example.com" },
    { port: 6380 },
    { database: 1 },
    { authType: "none" },
    { tls: "require" },
    { tls: "off" },
  ],
  keeps: [{ host: "CACHE.example.com" }, { port: undefined }],
  harmless: { host: [IN_BRACKETS] },
  peer: {
    missing: redisMissing,
    start: async () => {
      const redis = await RedisServer.start();
      return {
        action: "redis.get",
        job: { config: redis.config, secrets: { password: REDIS_PASSWORD }, params: { key: "any" } },
        arrivals: async () =>
          Number(/cmdstat_get:calls=(\d+)/u.exec(await redis.cli("INFO", "commandstats"))?.[1] ?? 0),
        stop: () => redis.stop(),
      };
    },
  },
};
