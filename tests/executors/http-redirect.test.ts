import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { follow } from "../../agent/executors/http/follow.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { failureOf, outputOf, type TestJob } from "../support/executor-context.ts";
import { namesOnly, requestWith } from "../support/http-executor.ts";
import { startHttpProxy } from "../support/http-proxy.ts";

interface Seen {
  method: string;
  host: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

const names = { "one.example": ["127.0.0.1"], "two.example": ["127.0.0.1"] };
let server: Bun.Server<undefined>;
let seen: Seen[] = [];
beforeAll(() => {
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const url = new URL(request.url);
      seen.push({
        method: request.method,
        host: url.hostname,
        path: url.pathname,
        headers: request.headers.toJSON(),
        body: await request.text(),
      });
      const [, kind = "", status = "302"] = url.pathname.split("/");
      const location: Record<string, string> = {
        here: "/end",
        other: `http://two.example:${server.port}/end`,
        private: "http://10.0.0.1/latest/meta-data",
        mapped: "http://[::ffff:169.254.169.254]/",
        file: "file:///etc/passwd",
        loop: "/loop/302",
        login: `http://user:pass@one.example:${server.port}/end`,
      };
      return kind in location
        ? new Response(null, { status: Number(status), headers: { location: location[kind] ?? "" } })
        : new Response("end");
    },
  });
});
afterAll(() => server.stop(true));
beforeEach(() => {
  seen = [];
});

function request(path: string, params: JsonObject = {}, config: JsonObject = {}, job: TestJob = {}) {
  const base = { baseUrl: `http://one.example:${server.port}`, ...config };
  return requestWith({ lookup: namesOnly(names) }, base, { path, ...params }, job);
}

describe("a redirect", () => {
  test("of a GET or HEAD is followed for every redirect status", async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      expect(outputOf(await request(`here/${status}`))).toMatchObject({ statusCode: 200, body: "end" });
      expect(outputOf(await request(`here/${status}`, { method: "HEAD" }))).toMatchObject({
        statusCode: 200,
        body: "",
      });
      expect(seen.at(-1)?.method).toBe("HEAD");
    }
  });

  test("to the same origin keeps the credential and the headers", async () => {
    await request("here/302", { headers: { "X-Trace": "t" } }, { authType: "bearer" }, { secrets: { token: "tok" } });
    expect(seen.at(-1)?.headers).toMatchObject({ authorization: "Bearer tok", "x-trace": "t" });
  });

  test("to another origin drops the credential and the action's headers", async () => {
    const cases: [JsonObject, Record<string, string>][] = [
      [{ authType: "bearer" }, { token: "tok-secret" }],
      [{ authType: "basic" }, { username: "user-secret", password: "pass-secret" }],
      [{ authType: "apiKey", apiKeyHeader: "X-Custom-Key" }, { apiKey: "key-secret" }],
    ];
    for (const [config, secrets] of cases) {
      const headers = { Cookie: "session=secret", "X-Auth-Token": "secret", Host: "one.example" };
      expect((await request("other/302", { headers }, config, { secrets })).status).toBe("succeeded");
      const last = seen.at(-1);
      expect(last?.host).toBe("two.example");
      expect(Object.keys(last?.headers ?? {}).sort()).toEqual([
        "accept",
        "accept-encoding",
        "connection",
        "host",
        "user-agent",
      ]);
    }
  });

  test("to another origin drops the credential's header, even a standard one", async () => {
    const route = {
      target: new URL(`http://one.example:${server.port}/other/302`),
      lookup: namesOnly(names),
      environment: {},
      allowPrivateNetwork: true,
      verifySsl: true,
      signal: new AbortController().signal,
    };
    const credential = { name: "user-agent", value: "key-secret" };
    const rules = { expected: [], credential, base: new URL(route.target.origin), staysThere: false };
    const { response } = await follow(route, { method: "GET", headers: { accept: "*/*" }, body: null }, rules);
    response.discard();
    expect(seen[0]?.headers).toMatchObject({ "user-agent": "key-secret" });
    expect(seen.at(-1)?.headers).toMatchObject({ host: `two.example:${server.port}`, accept: "*/*" });
    expect(JSON.stringify(seen.at(-1))).not.toContain("key-secret");
  });

  test("into a private range is blocked", async () => {
    // The first host has a public address, and is reached through a proxy that leads to the server here.
    const proxy = await startHttpProxy({ targetPort: server.port ?? 0 });
    try {
      const deps = {
        lookup: namesOnly({ "public.example": ["192.0.2.1"] }),
        environment: { http_proxy: `http://127.0.0.1:${proxy.port}` },
      };
      for (const path of ["private/302", "mapped/307"]) {
        const config = { baseUrl: "http://public.example" };
        const outcome = await requestWith(deps, config, { path }, { allowPrivateNetwork: false });
        expect(failureOf(outcome).code).toBe("address_blocked");
        expect(failureOf(outcome).message).toContain("ALLOW_PRIVATE_NETWORK");
        expect(seen.at(-1)?.path).toBe(`/${path}`);
      }
      expect(proxy.heads).toHaveLength(2);
    } finally {
      await proxy.close();
    }
  });

  test("to another protocol is not followed", async () => {
    expect(failureOf(await request("file/302")).code).toBe("redirect_not_followed");
  });

  test("is followed five times at most", async () => {
    const { code, message } = failureOf(await request("loop/302"));
    expect(code).toBe("redirect_not_followed");
    expect(message).toContain("5 times");
    expect(seen).toHaveLength(6);
  });

  test("of a POST is not followed, but named; only a 303 is followed with GET", async () => {
    for (const status of [301, 302, 307, 308]) {
      const { code, message } = failureOf(await request(`here/${status}`, { method: "POST", body: { a: 1 } }));
      expect(code).toBe("redirect_not_followed");
      expect(message).toContain("/end");
    }
    expect(seen).toHaveLength(4);
    expect((await request("here/303", { method: "POST", body: { a: 1 } })).status).toBe("succeeded");
    expect(seen.at(-1)).toMatchObject({ method: "GET", path: "/end", body: "" });
    expect(seen.at(-1)?.headers["content-type"]).toBeUndefined();
  });

  test("with an expected status is the answer", async () => {
    const outcome = await request("other/302", { expectStatus: [301, 302] });
    expect(outputOf(outcome)).toMatchObject({
      statusCode: 302,
      headers: { location: `http://two.example:${server.port}/end` },
    });
    expect(seen).toHaveLength(1);
  });

  test("with a login in its address is followed without that login", async () => {
    const output = outputOf(await request("login/302"));
    expect(seen.at(-1)?.headers["authorization"]).toBeUndefined();
    expect(output["url"]).toBe(`http://one.example:${server.port}/end`);
  });
});
