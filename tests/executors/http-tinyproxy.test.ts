import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHttpExecutor } from "../../agent/executors/http/index.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { contextOf, failureOf, outputOf } from "../support/executor-context.ts";
import { freePort } from "../support/free-port.ts";
import { namesOnly, requestWith } from "../support/http-executor.ts";
import { Nginx, NGINX_TOKEN, nginxMissing } from "../support/nginx.ts";
import { Tinyproxy, tinyproxyMissing } from "../support/tinyproxy.ts";
import { TrustingAgent } from "../support/trusting-agent.ts";

const missing = nginxMissing ?? tinyproxyMissing;
const PASSWORD = "pr0xyPass4711";
let nginx: Nginx;
let open: Tinyproxy;
let closed: Tinyproxy;
beforeAll(async () => {
  if (missing !== null) return;
  nginx = await Nginx.start({ stuckPort: await freePort() });
  open = await Tinyproxy.start();
  closed = await Tinyproxy.start({ login: { user: "robot", password: PASSWORD } });
});
afterAll(async () => {
  await closed?.stop();
  await open?.stop();
  await nginx?.stop();
});

function request(baseUrl: string, environment: Record<string, string>, config: JsonObject = {}) {
  const given = { baseUrl, verifySsl: false, authType: "bearer", ...config };
  return requestWith({ environment }, given, {}, { secrets: { token: NGINX_TOKEN } });
}

describe.skipIf(missing !== null)("a request through a real proxy", () => {
  test("to http has the connection's credential, and reaches its target", async () => {
    const outcome = await request(`${nginx.url}/bearer/`, { HTTP_PROXY: open.url() });
    expect(String(outputOf(outcome)["body"])).toContain("It works");
    expect(await open.requests()).toContain(`GET ${nginx.url}/bearer/ HTTP/1.1`);
  });

  test("to https uses a tunnel", async () => {
    const outcome = await request(`${nginx.tlsUrl}/bearer/`, { HTTPS_PROXY: open.url() });
    expect(String(outputOf(outcome)["body"])).toContain("It works");
    expect(await open.requests()).toContain(`CONNECT ${nginx.host}:${nginx.tlsPort} HTTP/1.1`);
  });

  test("bypasses the proxy for hosts in NO_PROXY", async () => {
    const before = (await open.requests()).length;
    const environment = { HTTP_PROXY: open.url(), HTTPS_PROXY: open.url(), NO_PROXY: "10.0.0.0/8,127.0.0.0/8" };
    for (const url of [nginx.url, nginx.tlsUrl]) {
      expect((await request(`${url}/bearer/`, environment)).status).toBe("succeeded");
    }
    expect(await open.requests()).toHaveLength(before);
  });

  test("logs in with the login in the proxy's address, percent-encoded or not", async () => {
    for (const login of [`robot:${PASSWORD}@`, "robot:pr0xy%50ass4711@"]) {
      const environment = { HTTP_PROXY: closed.url(login), HTTPS_PROXY: closed.url(login) };
      for (const url of [nginx.url, nginx.tlsUrl]) {
        expect((await request(`${url}/bearer/`, environment)).status).toBe("succeeded");
      }
    }
  });

  test("reports that the proxy wants a login, without showing a wrong one", async () => {
    // This proxy answers 407 without a login, and 401 to a wrong one.
    for (const [login, status] of [
      ["", "407"],
      ["robot:wr0ngPass@", "401"],
    ] as const) {
      const environment = { HTTP_PROXY: closed.url(login), HTTPS_PROXY: closed.url(login) };
      const plain = failureOf(await request(`${nginx.url}/bearer/`, environment));
      const secure = failureOf(await request(`${nginx.tlsUrl}/bearer/`, environment));
      expect([plain.code, secure.code]).toEqual(["http_status", "unreachable"]);
      for (const { message } of [plain, secure]) {
        expect(message).toContain(status);
        expect(message).toContain("login");
        expect(message).not.toContain("wr0ng");
      }
    }
  });

  test("fails the connection's test when the proxy wants a login", async () => {
    const executor = createHttpExecutor({ lookup: namesOnly({}), environment: { http_proxy: closed.url() } });
    const config = { baseUrl: nginx.url, authType: "none" };
    const checks = await executor.test(contextOf("http", { config }, "/nowhere"));
    expect(checks).toMatchObject([{ name: "HTTP request", ok: false }]);
    expect(checks[0]?.detail).toContain("HTTP_PROXY");
  });

  test("reports that the proxy refused the tunnel", async () => {
    const narrow = await Tinyproxy.start({ connectPort: 443 });
    const { code, message } = failureOf(await request(nginx.tlsUrl, { HTTPS_PROXY: narrow.url() }));
    await narrow.stop();
    expect(code).toBe("unreachable");
    expect(message).toContain("403");
  });

  test("reports that the target behind the proxy is unreachable", async () => {
    const closedPort = `127.0.0.1:${await freePort()}`;
    const secure = failureOf(await request(`https://${closedPort}`, { HTTPS_PROXY: open.url() }));
    expect(secure.code).toBe("unreachable");
    expect(secure.message).toContain(closedPort);
    const plain = failureOf(await request(`http://${closedPort}`, { HTTP_PROXY: open.url() }));
    expect(plain.code).toBe("http_status");
    expect(plain.message).toContain("may be the proxy's");
    const executor = createHttpExecutor({ lookup: namesOnly({}), environment: { HTTP_PROXY: open.url() } });
    const config = { baseUrl: `http://${closedPort}`, authType: "none" };
    const checks = await executor.test(contextOf("http", { config }, "/nowhere"));
    expect(checks).toMatchObject([{ name: "HTTP request", ok: false }]);
    expect(checks[0]?.detail).toContain("may be the proxy's");
    expect(checks[0]?.detail).not.toContain("it was reached");
  });

  test("follows a redirect from http to https through both proxies", async () => {
    const agent = new TrustingAgent(nginx.certificateFile, { HTTP_PROXY: open.url(), HTTPS_PROXY: open.url() });
    const config = { baseUrl: nginx.url, authType: "none" };
    const job = { type: "http", config, action: "http.request", params: { path: "/moved/secure" } } as const;
    const { output } = await agent.run(job);
    await agent.stop();
    // Neither the credential of another origin nor any other identification of the caller is there.
    expect(output).toMatchObject({ body: "GET|secret=1||", url: `${nginx.tlsUrl}/echo?secret=1` });
  });

  test("uses the proxy of the agent's environment, with a private certificate authority", async () => {
    const agent = new TrustingAgent(nginx.certificateFile, {
      HTTPS_PROXY: closed.url(`robot:${PASSWORD}@`),
      NO_PROXY: "localhost",
    });
    const config = { baseUrl: `${nginx.tlsUrl}/bearer/`, authType: "bearer" };
    const job = { type: "http", config, secrets: { token: NGINX_TOKEN } } as const;
    const result = await agent.run({ ...job, action: "http.request", params: {} });
    const checked = await agent.run({ ...job, action: null });
    await agent.stop();
    expect(String(result.output?.["body"])).toContain("It works");
    expect(checked.output).toMatchObject({ ok: true });
  });
});
