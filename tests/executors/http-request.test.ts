import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import { failureOf, type TestJob } from "../support/executor-context.ts";
import { namesOnly, requestWith } from "../support/http-executor.ts";

interface Seen {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

let server: Bun.Server<undefined>;
let seen: Seen[] = [];
beforeAll(() => {
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const url = new URL(request.url);
      seen.push({
        method: request.method,
        url: `${url.pathname}${url.search}`,
        headers: request.headers.toJSON(),
        body: await request.text(),
      });
      return new Response("ok");
    },
  });
});
afterAll(() => server.stop(true));
beforeEach(() => {
  seen = [];
});

function request(params: JsonObject, config: JsonObject = {}, job: TestJob = {}) {
  return requestWith({}, { baseUrl: `http://127.0.0.1:${server.port}`, ...config }, params, job);
}

describe("the address of an HTTP request", () => {
  const cases: [string, string, JsonObject, string][] = [
    ["the base URL itself", "/v1", {}, "/v1"],
    ["a path below it", "/v1", { path: "users/7" }, "/v1/users/7"],
    ["joined with one slash", "/v1/", { path: "//users" }, "/v1/users"],
    ["a path with a query", "", { path: "/x?flag&q=a%20b" }, "/x?flag&q=a%20b"],
    [
      "the base URL's own query",
      "/v1?api-version=1",
      { path: "x?y=2", query: { z: 3 } },
      "/v1/x?api-version=1&y=2&z=3",
    ],
    [
      "a query that needs escaping",
      "",
      { query: { "a b": "c&d=é+", n: 1, t: true } },
      "/?a%20b=c%26d%3D%C3%A9%2B&n=1&t=true",
    ],
    ["a path whose # is encoded", "", { path: "x#part" }, "/x%23part"],
    ["another address at the same origin", "/v1", { url: "SELF/other?x=1#y" }, "/other?x=1"],
    ["a path that looks like an address", "", { path: "https://evil.example/x" }, "/https://evil.example/x"],
    ["a path that looks like a login", "", { path: "@evil.example/x" }, "/@evil.example/x"],
  ];
  for (const [name, base, params, expected] of cases) {
    test(`is ${name}`, async () => {
      const self = `http://127.0.0.1:${server.port}`;
      const given = Object.fromEntries(
        Object.entries(params).map(([key, value]) => [
          key,
          typeof value === "string" ? value.replace("SELF", self) : value,
        ]),
      );
      expect((await request(given, { baseUrl: self + base })).status).toBe("succeeded");
      expect(seen.map(({ url }) => url)).toEqual([expected]);
    });
  }

  test("never leaves the base URL by dots", async () => {
    const written = ["..", "../x", "a/../b", "%2e%2E/x", ".%2e", "a/./b", "\\..\\x", "x/..?y"];
    const encoded = ["..%2fx", "a%2F..%5C..%2fb", "a%5c%2e%2E", "%252e%252E%252fx", "a/%25252e./b"];
    for (const path of [...written, ...encoded]) {
      const { code, message } = failureOf(await request({ path }, { baseUrl: `http://127.0.0.1:${server.port}/v1` }));
      expect({ path, code }).toEqual({ path, code: "invalid_params" });
      expect(message).toContain("..");
    }
    expect(seen).toEqual([]);
  });

  test("is refused with control characters or a login, or when it is invalid", async () => {
    const cases: JsonObject[] = [
      { path: "a\r\nHost: evil" },
      { path: "a\tb" },
      { url: "http://user:pass@127.0.0.1/" },
      { url: "/only/a/path" },
      { url: "http://[broken/" },
      { path: "x", url: "http://127.0.0.1/" },
    ];
    for (const params of cases) {
      expect(failureOf(await request(params)).code).toBe("invalid_params");
    }
  });

  test("on another origin is refused on a connection with a credential, and allowed without", async () => {
    const url = `http://localhost:${server.port}/x`;
    const bearer = { authType: "bearer" };
    const { code, message } = failureOf(await request({ url }, bearer, { secrets: { token: "t" } }));
    expect(code).toBe("invalid_params");
    expect(message).toContain(`http://localhost:${server.port}`);
    const open = await requestWith(
      { lookup: namesOnly({ localhost: ["127.0.0.1"] }) },
      { baseUrl: "http://127.0.0.1:1" },
      { url },
    );
    expect(open.status).toBe("succeeded");
  });
});

describe("the credential of an HTTP connection", () => {
  test("is sent according to its authType", async () => {
    const cases: [JsonObject, Record<string, string>, string, string][] = [
      [{ authType: "bearer" }, { token: "tok\n" }, "authorization", "Bearer tok"],
      [
        { authType: "basic" },
        { username: "üser", password: "p:ä" },
        "authorization",
        `Basic ${Buffer.from("üser:p:ä").toString("base64")}`,
      ],
      [{ authType: "apiKey" }, { apiKey: "k" }, "x-api-key", "k"],
      [{ authType: "apiKey", apiKeyHeader: "X-Other" }, { apiKey: "k" }, "x-other", "k"],
    ];
    for (const [config, secrets, name, value] of cases) {
      expect((await request({}, config, { secrets })).status).toBe("succeeded");
      expect(seen.at(-1)?.headers[name]).toBe(value);
    }
  });

  test("is missing when the vault has none, or one of another kind", async () => {
    for (const secrets of [null, { apiKey: "k" }]) {
      const { code, message } = failureOf(await request({}, { authType: "bearer" }, { secrets }));
      expect(code).toBe("credential_missing");
      expect(message).toContain("token");
    }
  });

  test("is not sent in a hop-by-hop header", async () => {
    for (const apiKeyHeader of ["Host", "Content-Length", "transfer-encoding"]) {
      const config = { authType: "apiKey", apiKeyHeader };
      const { code, message } = failureOf(await request({}, config, { secrets: { apiKey: "secret-key" } }));
      expect(code).toBe("invalid_config");
      expect(message).toContain(apiKeyHeader);
    }
  });

  test("is not sent in a standard header, which would be sent to other origins, too", async () => {
    for (const apiKeyHeader of ["User-Agent", "accept", "Accept-Language", "Accept-Encoding"]) {
      const config = { authType: "apiKey", apiKeyHeader };
      const { code, message } = failureOf(await request({}, config, { secrets: { apiKey: "secret-key" } }));
      expect(code).toBe("invalid_config");
      expect(message).toContain(apiKeyHeader);
    }
    expect(seen).toEqual([]);
  });

  test("that no header can contain is refused without showing it", async () => {
    for (const [config, secrets] of [
      [{ authType: "bearer" }, { token: "line\nX-Evil: break" }],
      [{ authType: "apiKey" }, { apiKey: "日本" }],
      [{ authType: "basic" }, { username: "a:b", password: "x" }],
    ] as const) {
      const { code, message } = failureOf(await request({}, config, { secrets }));
      expect(code).toBe("invalid_credential");
      for (const secret of Object.values(secrets)) expect(message).not.toContain(secret);
    }
  });
});

describe("the headers of an HTTP request", () => {
  test("are sent unchanged", async () => {
    await request({ headers: { "X-One": "1", Accept: "text/html", "X-Latin": "é" } });
    expect(seen[0]?.headers).toMatchObject({ "x-one": "1", accept: "text/html", "x-latin": "é" });
  });

  test("that would inject other headers are refused", async () => {
    const cases: Record<string, string>[] = [
      { "X-A": "1\r\nX-Evil: 1" },
      { "X-A": "1\nX-Evil: 1" },
      { "X-A": "nul\0" },
      { "X-A": "日本" },
      { "X-A: 1\r\nX-Evil": "1" },
      { "X A": "1" },
      { "Transfer-Encoding": "chunked" },
      { "Content-Length": "3" },
      { Connection: "keep-alive" },
      { "x-a": "1", "X-A": "2" },
    ];
    for (const headers of cases) expect(failureOf(await request({ headers })).code).toBe("invalid_params");
    expect(seen).toEqual([]);
  });

  test("cannot replace the connection's credential", async () => {
    const outcome = await request(
      { headers: { AUTHORIZATION: "Bearer other" } },
      { authType: "bearer" },
      { secrets: { token: "t" } },
    );
    expect(failureOf(outcome).code).toBe("invalid_params");
  });
});

describe("the body of an HTTP request", () => {
  const cases: [string, JsonObject, string, string | undefined][] = [
    ["JSON", { body: { a: [1, "é"] } }, '{"a":[1,"é"]}', "application/json"],
    ["a JSON string", { body: "just text" }, '"just text"', "application/json"],
    ["JSON in a string", { body: ' {"a": 1.0}' }, ' {"a": 1.0}', "application/json"],
    ["text that only looks like JSON", { body: "{not json" }, '"{not json"', "application/json"],
    ["JSON null", { body: null }, "null", "application/json"],
    [
      "a form",
      { body: { a: "x y&z", b: [1, 2], c: true }, bodyType: "form" },
      "a=x+y%26z&b=1&b=2&c=true",
      "application/x-www-form-urlencoded",
    ],
    ["an encoded form", { body: "a=1&b=2", bodyType: "form" }, "a=1&b=2", "application/x-www-form-urlencoded"],
    ["text", { body: "Grüße", bodyType: "text" }, "Grüße", "text/plain; charset=utf-8"],
    [
      "text with its own content type",
      { body: "<a/>", bodyType: "text", headers: { "Content-Type": "application/xml" } },
      "<a/>",
      "application/xml",
    ],
    ["absent", {}, "", undefined],
  ];
  for (const [name, params, body, contentType] of cases) {
    test(`may be ${name}`, async () => {
      await request({ method: "POST", ...params });
      expect(seen).toHaveLength(1);
      expect(seen[0]?.body).toBe(body);
      expect(seen[0]?.headers["content-type"]).toBe(contentType);
    });
  }

  test("may be sent with a GET, as search engines expect", async () => {
    // Bun's server drops such a body, so this listener shows the bytes that arrive.
    const came = Promise.withResolvers<string>();
    const data = (socket: Bun.Socket, bytes: Buffer): void => {
      came.resolve(bytes.toString());
      socket.end("HTTP/1.1 204 No Content\r\n\r\n");
    };
    const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data } });
    await request({ body: { query: 1 } }, { baseUrl: `http://127.0.0.1:${listener.port}` });
    listener.stop(true);
    expect(await came.promise).toMatch(/^GET [^]*\r\ncontent-length: 11\r\n[^]*\r\n\r\n\{"query":1\}$/u);
  });

  test("of type form must be fields", async () => {
    for (const body of [7, [1], { a: { b: 1 } }]) {
      expect(failureOf(await request({ method: "POST", body, bodyType: "form" })).code).toBe("invalid_params");
    }
  });
});

test("all wrong parameters of an HTTP request are named", async () => {
  const { code, message } = failureOf(await request({ method: "BREW", expectStatus: 9, bodyType: "xml", extra: 1 }));
  expect(code).toBe("invalid_params");
  for (const part of ["method", "expectStatus", "bodyType", "extra"]) expect(message).toContain(part);
});
