import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHttpExecutor } from "../../agent/executors/http/index.ts";
import { contextOf, failureOf } from "../support/executor-context.ts";
import { type HttpPeer, startHttpPeer } from "../support/http-peer.ts";
import { namesOnly, requestWith } from "../support/http-executor.ts";

/** A proxy that answers itself, as a proxy does when its rules forbid a target, or when the target is unreachable. */
let proxy: HttpPeer;
beforeAll(() => {
  proxy = startHttpPeer();
});
afterAll(() => proxy.stop());

const config = { baseUrl: "http://target.example", authType: "bearer" };
const job = { secrets: { token: "tok-123456" } };

function answers(status: number, headers: Record<string, string> = {}): { http_proxy: string } {
  proxy.answer = () => new Response("said the proxy", { status, headers });
  return { http_proxy: proxy.url };
}

test.each([403, 500, 502, 503])(
  "an error says that a %d through a proxy may be the proxy's, and does not blame the credential",
  async (status) => {
    const environment = answers(status, { "retry-after": "17" });
    const { message } = failureOf(await requestWith({ environment }, config, {}, job));
    for (const part of ["may be the proxy's", "host", "log", "rules"]) expect(message).toContain(part);
    expect(message).not.toContain("credential");
    if (status === 503) expect(message).toContain("17 s");
  },
);

test.each([
  [
    403,
    [
      { name: "HTTP request", ok: true },
      { name: "Authentication", ok: false },
    ],
  ],
  [502, [{ name: "HTTP request", ok: false }]],
])("a connection's test says that a %d through a proxy may be the proxy's", async (status, expected) => {
  const environment = answers(status);
  for (const authType of ["bearer", "none"]) {
    const executor = createHttpExecutor({ lookup: namesOnly({}), environment });
    const checks = await executor.test(contextOf("http", { ...job, config: { ...config, authType } }, "/nowhere"));
    expect(checks).toMatchObject(expected);
    const detail = checks.at(-1)?.detail;
    for (const part of ["may be the proxy's", "host", "log", "rules"]) expect(detail).toContain(part);
    for (const blame of ["credential", "login", "has an error"]) expect(detail).not.toContain(blame);
  }
});

test("without a proxy, a 403 is about the credential, and a 500 about the server", async () => {
  answers(403);
  const direct = { ...config, baseUrl: proxy.url };
  expect(failureOf(await requestWith({}, direct, {}, job)).message).toContain("credential");
  answers(500);
  const { message } = failureOf(await requestWith({}, direct, {}, job));
  expect(message).not.toContain("proxy");
});
