import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { createHttpExecutor } from "../../agent/executors/http/index.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { contextOf, failureOf, outputOf, type TestJob, textOf } from "../support/executor-context.ts";
import { freePort } from "../support/free-port.ts";
import { namesOnly, requestWith } from "../support/http-executor.ts";

const LIMIT_BYTES = 256 * 1_024;

interface Seen {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

let server: Bun.Server<undefined>;
let seen: Seen[] = [];
/** The server's answers, by path. */
const answers: Record<string, () => Response> = {
  "/json": () => Response.json({ id: 7, nested: { list: [1, "two", null] } }),
  "/problem": () =>
    new Response('{"title":"no"}', { status: 409, headers: { "content-type": "application/problem+json" } }),
  "/broken-json": () => new Response('{"half":', { headers: { "content-type": "application/json" } }),
  "/text": () => new Response("Grüße\n", { headers: { "content-type": "text/plain" } }),
  "/latin1": () =>
    new Response(Buffer.from("Grüße", "latin1"), { headers: { "content-type": "text/plain; charset=ISO-8859-1" } }),
  "/untyped": () => new Response(Buffer.from("plain enough")),
  "/binary": () =>
    new Response(new Uint8Array([0, 255, 1, 254]), { headers: { "content-type": "application/octet-stream" } }),
  "/binary-without-nul": () => new Response(new Uint8Array([0xff, 0xfe, 0xfd, 0x41])),
  "/endless": () => {
    const pull = (controller: ReadableStreamDefaultController): void =>
      controller.enqueue(new Uint8Array(65_536).fill(0x78));
    return new Response(new ReadableStream({ pull }), { headers: { "content-type": "text/plain" } });
  },
  "/big-binary": () => new Response(new Uint8Array(400_000), { headers: { "content-type": "image/png" } }),
  "/big": () => new Response("line of text\n".repeat(30_000), { headers: { "content-type": "text/plain" } }),
  "/big-json": () => Response.json(Array.from({ length: 100_000 }, (_, index) => index)),
  "/gzip": () =>
    new Response(gzipSync('{"packed":true}'), {
      headers: { "content-encoding": "gzip", "content-type": "application/json" },
    }),
  "/brotli": () =>
    new Response(brotliCompressSync("packed"), { headers: { "content-encoding": "br", "content-type": "text/plain" } }),
  "/bomb": () => new Response(bomb, { headers: { "content-encoding": "gzip", "content-type": "text/plain" } }),
  "/half-gzip": () =>
    new Response(gzipSync("x".repeat(1_000)).subarray(0, 20), { headers: { "content-encoding": "gzip" } }),
  "/zstd": () =>
    new Response("not decoded here", { headers: { "content-encoding": "zstd", "content-type": "text/plain" } }),
  "/empty-gzip": () => new Response("", { headers: { "content-encoding": "gzip", "content-type": "text/plain" } }),
  "/empty": () => new Response(null, { status: 204 }),
  "/cookies": () =>
    new Response("", {
      headers: [
        ["set-cookie", "a=1"],
        ["set-cookie", "b=2"],
      ],
    }),
  "/teapot": () => new Response("no coffee", { status: 418 }),
  "/unauthorized": () => new Response("", { status: 401 }),
  "/down": () => new Response("down", { status: 503 }),
  "/slow": () =>
    new Response(
      new ReadableStream({
        pull: (controller) => (controller.enqueue(new TextEncoder().encode("begun")), new Promise(() => undefined)),
      }),
      { headers: { "content-type": "text/plain" } },
    ),
};
const bomb = gzipSync(Buffer.alloc(50_000_000, "x"));

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
      return (answers[url.pathname] ?? (() => new Response("ok")))();
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

describe("the answer to an HTTP request", () => {
  const cases: [string, string, JsonObject][] = [
    ["JSON is parsed", "/json", { statusCode: 200, body: { id: 7, nested: { list: [1, "two", null] } } }],
    ["invalid JSON stays text", "/broken-json", { statusCode: 200, body: '{"half":' }],
    ["text is text", "/text", { body: "Grüße\n" }],
    ["text is read in its character set", "/latin1", { body: "Grüße" }],
    ["untyped text is text", "/untyped", { body: "plain enough" }],
    ["binary content is base64, with bodyEncoding", "/binary", { body: "AP8B/g==", bodyEncoding: "base64" }],
    ["untyped binary content is base64", "/binary-without-nul", { body: "//79QQ==", bodyEncoding: "base64" }],
    ["an empty answer is an empty string", "/empty", { statusCode: 204, body: "" }],
    ["an empty gzip answer is an empty string", "/empty-gzip", { statusCode: 200, body: "" }],
    ["gzip is unpacked", "/gzip", { body: { packed: true } }],
    ["brotli is unpacked", "/brotli", { body: "packed" }],
    ["content with another compression is base64", "/zstd", { bodyEncoding: "base64" }],
    ["several cookies are a list", "/cookies", { body: "" }],
  ];
  for (const [name, path, output] of cases) {
    test(name, async () => {
      const outcome = await request({ path });
      expect(outcome.status).toBe("succeeded");
      expect(outputOf(outcome)).toMatchObject(output);
      expect(outputOf(outcome)).not.toHaveProperty("truncated");
    });
  }

  test("has lowercase header names", async () => {
    expect(outputOf(await request({ path: "/cookies" }))["headers"]).toMatchObject({ "set-cookie": ["a=1", "b=2"] });
  });

  test("is cut at 256 KiB, and says so", async () => {
    const output = outputOf(await request({ path: "/big" }));
    expect(output["truncated"]).toBe(true);
    // The rest was not read, so its size is unknown.
    expect(output).not.toHaveProperty("droppedBytes");
    expect(Buffer.byteLength(textOf(output, "body"))).toBeLessThanOrEqual(LIMIT_BYTES);
    expect(Buffer.byteLength(textOf(output, "body"))).toBeGreaterThan(LIMIT_BYTES * 0.95);
    for (const path of ["/big-json", "/big-binary"]) {
      const large = outputOf(await request({ path }));
      expect(large["truncated"]).toBe(true);
      expect(Buffer.byteLength(textOf(large, "body"))).toBeLessThanOrEqual(LIMIT_BYTES);
    }
  });

  test("with compressed content is unpacked up to 256 KiB only", async () => {
    const output = outputOf(await request({ path: "/bomb" }));
    expect(output["truncated"]).toBe(true);
    expect(textOf(output, "body")).toMatch(/^x+$/u);
    expect(Buffer.byteLength(textOf(output, "body"))).toBeLessThanOrEqual(LIMIT_BYTES);
  });

  test("without end is read up to 256 KiB only", async () => {
    const output = outputOf(await request({ path: "/endless" }));
    expect(output).toMatchObject({ statusCode: 200, truncated: true });
  });

  test("that breaks off is a failure with the part that arrived", async () => {
    const outcome = await request({ path: "/half-gzip" });
    expect(failureOf(outcome).code).toBe("connection_lost");
    expect(outputOf(outcome)).toMatchObject({ statusCode: 200, truncated: true });
  });

  test("contains no part of the connection's credential at the cut", async () => {
    const token = "tok-0123456789-abcdefghijklmnopqrstuvwxyz";
    answers["/leak"] = () =>
      new Response("-".repeat(LIMIT_BYTES - 20) + token.repeat(100), { headers: { "content-type": "text/plain" } });
    const outcome = await request({ path: "/leak" }, { authType: "bearer" }, { secrets: { token } });
    expect(textOf(outputOf(outcome), "body")).not.toContain("tok");
  });

  test("with status 400 or more is a failure that keeps the answer", async () => {
    const outcome = await request({ path: "/problem", query: { key: "not-for-messages" }, method: "POST" });
    expect(outputOf(outcome)).toMatchObject({ statusCode: 409, body: { title: "no" } });
    const { code, message } = failureOf(outcome);
    expect(code).toBe("http_status");
    expect(message).toContain("POST");
    expect(message).toContain("409");
    expect(message).not.toContain("not-for-messages");
    expect(failureOf(await request({ path: "/unauthorized" })).message).toContain("credential");
  });

  test("must have the expected status, or the action fails", async () => {
    expect((await request({ path: "/teapot", expectStatus: 418 })).status).toBe("succeeded");
    expect((await request({ path: "/teapot", expectStatus: [200, 418] })).status).toBe("succeeded");
    const { code, message } = failureOf(await request({ path: "/json", expectStatus: [201, 202] }));
    expect(code).toBe("http_status");
    expect(message).toContain("201 or 202");
  });

  test("that is slow ends with the connection's time-out and with the job", async () => {
    const slow = await request({ path: "/slow" }, { timeoutSeconds: 2 });
    expect(failureOf(slow)).toMatchObject({ code: "timed_out" });
    expect(failureOf(slow).message).toContain("timeoutSeconds");
    expect(outputOf(slow)).toMatchObject({ statusCode: 200, body: "begun", truncated: true });
    const stopped = await request({ path: "/slow" }, {}, { signal: AbortSignal.timeout(2_000) });
    expect(failureOf(stopped).code).toBe("job_ended");
    expect(outputOf(stopped)).toMatchObject({ body: "begun" });
  });
});

describe("a server that cannot be reached", () => {
  test("is named in the error, with the cause", async () => {
    const refused = failureOf(await request({}, { baseUrl: `http://127.0.0.1:${await freePort()}` }));
    expect(refused.code).toBe("unreachable");
    expect(refused.message).toContain("refused the connection");
    const unknown = failureOf(await request({}, { baseUrl: "http://nowhere.example" }));
    expect(unknown.code).toBe("unreachable");
    expect(unknown.message).toContain("nowhere.example");
  });

  test("by HTTP causes connection_lost or invalid_response", async () => {
    for (const [answer, code] of [
      ["", "connection_lost"],
      ["this is not HTTP\r\n\r\n", "invalid_response"],
    ] as const) {
      const listener = Bun.listen({
        hostname: "127.0.0.1",
        port: 0,
        socket: { data: (socket) => void socket.end(answer) },
      });
      const outcome = await request({}, { baseUrl: `http://127.0.0.1:${listener.port}` });
      listener.stop(true);
      expect(failureOf(outcome).code).toBe(code);
    }
  });
});

describe("a test of an HTTP connection", () => {
  async function checks(config: JsonObject, secrets: Record<string, string> | null = null) {
    const executor = createHttpExecutor({ lookup: namesOnly({}), environment: {} });
    const found = await executor.test(
      contextOf("http", { config: { authType: "none", ...config }, secrets }, "/nowhere"),
    );
    return found.map(({ name, ok }) => [name, ok]);
  }
  const base = (path: string): string => `http://127.0.0.1:${server.port}${path}`;

  test("requests the base URL, then reports whether the credential was accepted", async () => {
    expect(await checks({ baseUrl: base("/json") })).toEqual([
      ["HTTP request", true],
      ["Authentication", true],
    ]);
    expect(await checks({ baseUrl: base("/teapot"), authType: "bearer" }, { token: "t" })).toEqual([
      ["HTTP request", true],
      ["Authentication", true],
    ]);
    expect(seen.at(-1)).toMatchObject({ method: "GET", url: "/teapot" });
    for (const config of [{ authType: "none" }, { authType: "bearer" }]) {
      expect(await checks({ baseUrl: base("/unauthorized"), ...config }, { token: "t" })).toEqual([
        ["HTTP request", true],
        ["Authentication", false],
      ]);
    }
  });

  test("ends at the first failure", async () => {
    expect(await checks({ baseUrl: base("/down") })).toEqual([["HTTP request", false]]);
    expect(await checks({ baseUrl: `http://127.0.0.1:${await freePort()}` })).toEqual([["HTTP request", false]]);
    const down = { baseUrl: base("/down"), authType: "bearer" };
    expect(await checks(down)).toEqual([["HTTP request", false]]);
  });

  test("reports whether the API was reached even without a usable credential", async () => {
    const unusable: (Record<string, string> | null)[] = [null, { apiKey: "k" }, { token: "line\nbreak" }];
    for (const secrets of unusable) {
      expect(await checks({ baseUrl: base("/json"), authType: "bearer" }, secrets)).toEqual([
        ["HTTP request", true],
        ["Authentication", false],
      ]);
    }
  });
});
