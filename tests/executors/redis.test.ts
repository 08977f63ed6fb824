import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import { eventually } from "../support/eventually.ts";
import { failureOf, outputOf, runAction, runTest } from "../support/executor-context.ts";
import { READER_PASSWORD, REDIS_PASSWORD, RedisServer, redisMissing } from "../support/redis.ts";
import { TrustingAgent } from "../support/trusting-agent.ts";

const secrets = { password: REDIS_PASSWORD };

describe.skipIf(redisMissing !== null)(`Redis (${redisMissing ?? "redis-server"})`, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.stop());

  const run = (params: JsonObject, changes: object = {}) =>
    runAction("redis", "redis.runCommand", { config: redis.config, secrets, params, ...changes });
  const get = (key: string, changes: object = {}) =>
    runAction("redis", "redis.get", { config: redis.config, secrets, params: { key }, ...changes });

  test("a key is read, and a missing key is not a failure", async () => {
    await redis.cli("SET", "a key", "a value");
    expect(outputOf(await get("a key"))).toEqual({ value: "a value", encoding: "utf8", found: true });
    expect(outputOf(await get("none"))).toEqual({ value: null, found: false });
  });

  test("bytes that are not UTF-8 are returned in base64", async () => {
    await run({ command: "EVAL", arguments: ["return redis.call('SET', KEYS[1], string.char(255, 0))", "1", "bytes"] });
    expect(outputOf(await get("bytes"))).toMatchObject({ value: "/wA=", encoding: "base64" });
    expect(outputOf(await run({ command: "GET", arguments: ["bytes"] }))).toEqual({ reply: { base64: "/wA=" } });
  });

  test("any value in an argument stays one argument", async () => {
    const hostile = "x\r\n*1\r\n$8\r\nFLUSHALL\r\n\" ' ; $(id) {{nodes}}";
    expect(outputOf(await run({ command: "SET", arguments: ["kept", "1"] }))).toEqual({ reply: "OK" });
    expect(outputOf(await run({ command: "SET", arguments: ["hostile", hostile] }))).toEqual({ reply: "OK" });
    expect(outputOf(await get("hostile"))).toMatchObject({ value: hostile });
    expect(outputOf(await get("kept"))).toMatchObject({ value: "1" });
  });

  test("every kind of reply becomes JSON", async () => {
    await run({ command: "HSET", arguments: ["hash", "a", "1", "b", "2"] });
    for (const command of ["HGETALL", "hgetall"]) {
      expect(outputOf(await run({ command, arguments: ["hash"] }))).toEqual({ reply: ["a", "1", "b", "2"] });
    }
    const script = "return {1, false, {'x'}, redis.error_reply('ERR within')}";
    expect(outputOf(await run({ command: "EVAL", arguments: [script, "0"] }))).toEqual({
      reply: [1, null, ["x"], { error: "ERR within" }],
    });
    await run({ command: "SET", arguments: ["large", "9007199254740992"] });
    expect(outputOf(await run({ command: "INCR", arguments: ["large"] }))).toEqual({ reply: "9007199254740993" });
  });

  test("the database of the connection is used", async () => {
    await run({ command: "SET", arguments: ["where", "three"] }, { config: { ...redis.config, database: 3 } });
    expect(outputOf(await get("where"))).toMatchObject({ found: false });
    expect(await redis.cli("-n", "3", "GET", "where")).toBe("three");
    expect(failureOf(await get("where", { config: { ...redis.config, database: 99 } }))).toMatchObject({
      code: "invalid_config",
    });
  });

  test("a refusal by the server is reported with its reason, without secrets", async () => {
    expect(failureOf(await run({ command: "INCR", arguments: ["hash"] }))).toMatchObject({
      code: "command_failed",
      message: expect.stringContaining("WRONGTYPE"),
    });
    const reader = { username: "reader", password: READER_PASSWORD };
    expect(failureOf(await run({ command: "FLUSHALL" }, { secrets: reader }))).toMatchObject({
      code: "permission_denied",
    });
    const wrong = failureOf(await get("a key", { secrets: { password: "wrong-canary-1" } }));
    expect(wrong.code).toBe("authentication_failed");
    expect(wrong.message).not.toContain("wrong-canary-1");
    expect(failureOf(await get("a key", { secrets: null })).code).toBe("credential_missing");
    expect(failureOf(await get("a key", { config: { ...redis.config, authType: "none" }, secrets: null })).code).toBe(
      "authentication_failed",
    );
  });

  test.each(["SUBSCRIBE", "monitor", "MULTI", "AUTH", "select"])(
    "%s is not allowed as a command of an action",
    async (command) => {
      expect(failureOf(await run({ command, arguments: ["x"] })).code).toBe("invalid_params");
    },
  );

  test.each(["valueOf", "isPrototypeOf", "hasOwnProperty", "constructor", "toString"])(
    "the command %s, named like a property of every object, is refused by the server",
    async (command) => {
      expect(failureOf(await run({ command }))).toMatchObject({
        code: "command_failed",
        message: expect.stringContaining(`unknown command '${command}'`),
      });
    },
  );

  test("a reply of more than 16 MiB ends the connection, and the error says what to do", async () => {
    await redis.cli("SETRANGE", "huge", "17000000", "x");
    expect(failureOf(await get("huge"))).toMatchObject({
      code: "reply_too_large",
      message: expect.stringContaining("GETRANGE"),
    });
  });

  test.each([["off"], ["require"]])(
    "a connection (tls: %s) that the server closes during a command is connection_lost",
    async (tls) => {
      const config = { ...redis.config, port: tls === "off" ? redis.port : redis.tlsPort, tls };
      const ended = run({ command: "BLPOP", arguments: ["nothing", "0"] }, { config });
      await eventually("the server waits", async () =>
        (await redis.cli("INFO", "clients")).includes("blocked_clients:1"),
      );
      await redis.cli("CLIENT", "KILL", "TYPE", "normal");
      expect(failureOf(await ended)).toMatchObject({
        code: "connection_lost",
        message: expect.stringContaining("It is not known whether BLPOP was carried out"),
      });
    },
  );

  test.each(["verify", "require"])(
    "TLS (%s) to a server without TLS fails soon, and the error names the setting",
    async (tls) => {
      const changes = { config: { ...redis.config, tls }, timeoutMs: 500 };
      const { code, message } = failureOf(await get("a key", changes));
      expect([code, message]).toEqual(["tls_error", expect.stringContaining("set tls to off")]);
      const checks = await runTest("redis", { ...changes, secrets });
      expect(checks.at(-1)).toMatchObject({
        name: "TLS",
        ok: false,
        detail: expect.stringContaining("set tls to off"),
      });
    },
  );

  test("TLS certificates are verified, and the connection's test names the failed step", async () => {
    const config = { ...redis.config, port: redis.tlsPort, tls: "verify" };
    expect(failureOf(await get("a key", { config })).code).toBe("tls_error");
    expect(await runTest("redis", { config, secrets })).toMatchObject([
      { name: "TCP connection", ok: true },
      { name: "TLS", ok: false },
    ]);
    const required = await runTest("redis", { config: { ...config, tls: "require" }, secrets });
    expect(required.map(({ name, ok }) => [name, ok])).toEqual([
      ["TCP connection", true],
      ["TLS", true],
      ["Authentication", true],
      ["PING", true],
    ]);
    const agent = new TrustingAgent(redis.certificateFile);
    const job = { type: "redis", action: "redis.get", config, secrets, params: { key: "a key" } } as const;
    expect(await agent.run(job)).toMatchObject({ status: "succeeded", output: { found: true } });
    await agent.stop();
  });
});
