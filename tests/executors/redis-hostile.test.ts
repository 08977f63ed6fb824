import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { HostileRedis } from "../support/hostile-redis.ts";

const PROGRAM = join(import.meta.dir, "../support/redis-jobs-process.ts");

/** Runs a read, a command and the connection's test against a server; an uncaught exception changes the exit code. */
async function jobsAgainst(redis: HostileRedis, command = "PING") {
  const { config } = redis;
  const jobs = [
    { action: "redis.get", job: { config, params: { key: "k" } } },
    { action: "redis.runCommand", job: { config, params: { command } } },
    { action: null, job: { config } },
  ];
  const child = Bun.spawn([process.execPath, PROGRAM, JSON.stringify(jobs)], {
    stdio: ["ignore", "pipe", "inherit"],
    // A job that never ends changes the exit code, too.
    timeout: 30_000,
  });
  const text = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  const [get, run, checks] = JSON.parse(text);
  return { codes: [get.error?.code, run.error?.code], checks };
}

async function against(answer: string | Buffer, options: { command?: string; isClosing?: boolean } = {}) {
  const redis = await HostileRedis.start(Buffer.from(answer), options);
  return await jobsAgainst(redis, options.command).finally(() => redis.stop());
}

const INVALID = {
  "a push of RESP3": ">1\r\n$-1\r\n",
  "a push of RESP3 that confirms a subscription": ">1\r\n$9\r\nsubscribe\r\n",
  "a map of RESP3": "%1\r\n+a\r\n+b\r\n",
  "an unknown type without an end": "HTTP/1.1 400 Bad Request",
  "a second reply": "+OK\r\n+OK\r\n",
  "a negative length of a text": "$-2\r\n",
  "a negative length of a list": "*-7\r\n",
  "a length that is no number": "$1e3\r\n",
  "a number with a letter": ":1x\r\n",
  "a text longer than its length": "$1\r\nabc\r\n",
};

describe.each(Object.entries(INVALID))("a Redis server that answers with %s", (_, answer) => {
  test("ends the job as invalid_response, and the connection's test at PING", async () => {
    const { codes, checks } = await against(answer);
    expect(codes).toEqual(["invalid_response", "invalid_response"]);
    expect(checks.at(-1)).toMatchObject({ name: "PING", ok: false });
  });
});

test.each([
  ["a string of 2 GiB", "$2147483647\r\n"],
  ["a list of 1,000,000,000 values", "*1000000000\r\n"],
  ["endlessly nested lists", "*1\r\n".repeat(100_000)],
  ["more than a million values", Buffer.from(`*1000000\r\n${":1\r\n".repeat(1_000_000)}`)],
])("a Redis server that answers with %s ends the job as reply_too_large", async (_, answer) => {
  expect((await against(answer)).codes).toEqual(["reply_too_large", "reply_too_large"]);
});

test("a Redis server that closes the connection within a reply ends the job as connection_lost", async () => {
  const { codes } = await against("*2\r\n$3\r\nab", { isClosing: true });
  expect(codes).toEqual(["connection_lost", "connection_lost"]);
});

test("a number is an invalid response to GET, and the output of a command named constructor", async () => {
  const { codes } = await against(":1\r\n", { command: "constructor" });
  expect(codes).toEqual(["invalid_response", undefined]);
});

test("random bytes from a Redis server never end the agent", async () => {
  // Half of the bytes are RESP's own characters; otherwise most answers would end at their first byte.
  const byte = fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(...Buffer.from("+-:$*>%_#\r\n0123456789")));
  for (const bytes of fc.sample(fc.array(byte, { maxLength: 200 }), { seed: 4_711, numRuns: 10 })) {
    const { checks } = await against(Buffer.from(bytes), { isClosing: true });
    expect(checks.slice(0, 2)).toMatchObject([{ ok: true }, { ok: true }]);
  }
});
