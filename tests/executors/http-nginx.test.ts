import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JobResult } from "../../schema/contract/agent.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { STREAM_MAX_BYTES } from "../../schema/limits.ts";
import { renderParams } from "../../worker/domain/render-params.ts";
import {
  Nginx,
  NGINX_KEY,
  NGINX_LARGE_BYTES,
  NGINX_PASSWORD,
  NGINX_TOKEN,
  NGINX_USER,
  nginxMissing,
} from "../support/nginx.ts";
import { type JobToRun, runJob } from "../support/run-job.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { TrustingAgent } from "../support/trusting-agent.ts";

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

const BASIC = { username: NGINX_USER, password: NGINX_PASSWORD };

function request(params: JsonObject, config: JsonObject = {}, changes: Partial<JobToRun> = {}): JobToRun {
  return {
    type: "http",
    action: "http.request",
    config: { baseUrl: nginx.url, authType: "none", ...config },
    params,
    ...changes,
  };
}

function bodyOf({ output }: JobResult): string {
  const body = output?.["body"];
  if (typeof body !== "string") throw new Error(`the body is not a text: ${JSON.stringify(output)}`);
  return body;
}

describe.skipIf(nginxMissing !== null)("a request to a real web server", () => {
  const logins: [string, string, JsonObject, Record<string, string>, Record<string, string>, number][] = [
    ["basic", "/basic/", { authType: "basic" }, BASIC, { ...BASIC, password: "wrong" }, 401],
    ["bearer", "/bearer/", { authType: "bearer" }, { token: NGINX_TOKEN }, { token: "wrong" }, 401],
    [
      "apiKey",
      "/key/",
      { authType: "apiKey", apiKeyHeader: "X-Room-Key" },
      { apiKey: NGINX_KEY },
      { apiKey: "no" },
      403,
    ],
  ];
  for (const [authType, path, config, right, wrong, status] of logins) {
    test(`logs in by ${authType}, and reports a refused credential`, async () => {
      expect(bodyOf(await runJob(request({ path }, config, { secrets: right })))).toContain("It works");
      const refused = await runJob(request({ path }, config, { secrets: wrong }));
      expect(refused).toMatchObject({
        status: "failed",
        error: { code: "http_status" },
        output: { statusCode: status },
      });
      expect(refused.error?.message).toContain("credential");
    });

    test(`is tested by ${authType}, with a valid and a refused credential`, async () => {
      const tested = (secrets: Record<string, string>) =>
        runJob(request({}, { ...config, baseUrl: `${nginx.url}${path}` }, { action: null, secrets }));
      expect((await tested(right)).output).toMatchObject({
        ok: true,
        checks: [{ name: "HTTP request" }, { ok: true }],
      });
      expect((await tested(wrong)).output).toMatchObject({
        ok: false,
        checks: [
          { name: "HTTP request", ok: true },
          { name: "Authentication", ok: false },
        ],
      });
    });
  }

  test("has a JSON, form or text body with the matching content type", async () => {
    const cases: [JsonObject, string][] = [
      [{ body: { a: [1, "zwölf"] } }, 'POST|q=a%26b|application/json|{"a":[1,"zwölf"]}'],
      [
        { bodyType: "form", body: { a: "1&2", b: ["x", "y"] } },
        "POST|q=a%26b|application/x-www-form-urlencoded|a=1%262&b=x&b=y",
      ],
      [{ bodyType: "text", body: "plain: ü" }, "POST|q=a%26b|text/plain; charset=utf-8|plain: ü"],
    ];
    for (const [params, echoed] of cases) {
      const result = await runJob(request({ method: "POST", path: "/echo", query: { q: "a&b" }, ...params }));
      expect(Buffer.from(bodyOf(result)).toString("utf8")).toBe(echoed);
    }
  });

  test("never leaves the base URL through a value of any encoding, on a server that decodes slashes and dots", async () => {
    const config = { baseUrl: `${nginx.url}/bearer`, authType: "bearer" };
    const below = (value: string) =>
      runJob(request({ path: `workers/${encodeURIComponent(value)}` }, config, { secrets: { token: NGINX_TOKEN } }));
    for (const value of ["../../echoed", "a/..\\..\\../echoed", "%2e%2E/%2e%2e%2Fechoed", "./echoed", "a/.."]) {
      const rendered = renderParams("http.request", { path: "workers/{{webhook.worker}}" }, () => value);
      expect({ value, ...rendered }).toMatchObject({ value, ok: false });
      expect({ value, ...(await below(value)) }).toMatchObject({ value, error: { code: "invalid_params" } });
    }
    expect(bodyOf(await below("a/..b"))).toContain("It works");
    expect((await nginx.log()).filter((line) => line.includes("workers"))).toEqual([
      expect.stringContaining("/bearer/workers/a%2F..b"),
    ]);
  });

  test("puts, reads and deletes a file", async () => {
    const text = "line\n".repeat(10_000);
    const put = request({ method: "PUT", path: "/files/a.txt", body: text, bodyType: "text", expectStatus: 201 });
    expect((await runJob(put)).status).toBe("succeeded");
    expect(await nginx.file("a.txt")).toBe(text);
    expect(bodyOf(await runJob(request({ path: "/files/a.txt" })))).toBe(text);
    expect((await runJob(request({ method: "HEAD", path: "/files/a.txt" }))).output).toMatchObject({
      body: "",
      headers: { "content-length": String(text.length) },
    });
    expect((await runJob(request({ method: "DELETE", path: "/files/a.txt" }))).output).toMatchObject({
      statusCode: 204,
    });
    expect((await runJob(request({ path: "/files/a.txt" }))).output).toMatchObject({ statusCode: 404 });
  });

  test("with a body that is too large fails with status 413", async () => {
    const body = "x".repeat(200_000);
    const result = await runJob(request({ method: "PUT", path: "/files/b.txt", body, bodyType: "text" }));
    expect(result).toMatchObject({ status: "failed", error: { code: "http_status" }, output: { statusCode: 413 } });
  });

  test("with status 429 fails with the time to wait", async () => {
    const result = await runJob(request({ path: "/busy" }));
    expect(result).toMatchObject({ status: "failed", output: { statusCode: 429, headers: { "retry-after": "17" } } });
    expect(result.error?.message).toContain("wait 17 s");
  });

  test("unpacks a compressed answer", async () => {
    const result = await runJob(request({ path: "/packed" }));
    expect(result.output).toMatchObject({
      headers: { "content-encoding": "gzip" },
      body: { text: "packed ".repeat(2_000) },
    });
  });

  test("reads no more of a large answer than it keeps", async () => {
    const result = await runJob(request({ path: "/large" }));
    expect(result).toMatchObject({ status: "succeeded", output: { truncated: true } });
    expect(Buffer.byteLength(bodyOf(result))).toBeLessThanOrEqual(STREAM_MAX_BYTES);
    const [, sentBytes] = (await nginx.logged("GET /large")).split(" ");
    expect(Number(sentBytes)).toBeLessThan(NGINX_LARGE_BYTES);
  });

  test("unpacks no more of a compression bomb than it keeps", async () => {
    const before = process.memoryUsage().rss;
    const result = await runJob(request({ path: "/bomb" }));
    expect(result).toMatchObject({ status: "succeeded", output: { truncated: true } });
    expect(bodyOf(result)).toMatch(/^x+$/u);
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  });

  test("follows redirects, but no endless ones, and none with a body", async () => {
    expect(bodyOf(await runJob(request({ path: "/moved/here" })))).toContain("It works");
    const cases: JsonObject[] = [{ path: "/moved/in-circles" }, { path: "/moved/kept", method: "POST", body: "x" }];
    for (const params of cases) {
      expect(await runJob(request(params))).toMatchObject({ error: { code: "redirect_not_followed" } });
    }
  });

  test("ends with the connection's time-out, and closes its TCP connection", async () => {
    const slow = await runJob(request({ path: "/slow" }, { timeoutSeconds: 2 }));
    expect(slow).toMatchObject({ status: "failed", error: { code: "timed_out" }, output: { truncated: true } });
    const [, sentBytes] = (await nginx.logged("GET /slow")).split(" ");
    expect(Number(sentBytes)).toBeLessThan(NGINX_LARGE_BYTES);
  });
});

describe.skipIf(nginxMissing !== null)("a request over https", () => {
  test("is sent to a server with a trusted authority, with the credential", async () => {
    const agent = new TrustingAgent(nginx.certificateFile);
    const config = { baseUrl: nginx.tlsUrl, authType: "basic" };
    expect(bodyOf(await agent.run(request({ path: "/basic/" }, config, { secrets: BASIC })))).toContain("It works");
    const elsewhere = await agent.run(request({ path: "/moved/secure" }));
    expect(bodyOf(elsewhere)).toBe("GET|secret=1||");
    await agent.stop();
  });

  test("is refused for an unknown authority, unless verifySsl is false", async () => {
    const refused = await runJob(request({}, { baseUrl: nginx.tlsUrl }));
    expect(refused).toMatchObject({ status: "failed", error: { code: "tls_error" } });
    expect(refused.error?.message).toContain("verifySsl");
    const unchecked = await runJob(request({}, { baseUrl: nginx.tlsUrl, verifySsl: false }));
    expect(bodyOf(unchecked)).toContain("It works");
  });
});
