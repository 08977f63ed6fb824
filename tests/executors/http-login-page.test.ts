import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { createHttpExecutor } from "../../agent/executors/http/index.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { contextOf, failureOf, outputOf } from "../support/executor-context.ts";
import { type HttpPeer, startHttpPeer } from "../support/http-peer.ts";
import { namesOnly, requestWith } from "../support/http-executor.ts";

const TOKEN = "tok-right";
/** An API that redirects unknown callers to a login page elsewhere, as APIs behind single sign-on do. */
let api: HttpPeer;
let login: HttpPeer;
beforeAll(() => {
  api = startHttpPeer(({ headers, path }) => {
    if (path === "/moved") return Response.redirect(`${api.url}/moved/v2`);
    if (path === "/v1") return Response.redirect(`${api.url}/v2`);
    if (path === "/signed-out") return new Response("who are you?");
    return headers.get("authorization") === `Bearer ${TOKEN}`
      ? new Response("welcome")
      : Response.redirect(`${login.url}/login?from=api`);
  });
  login = startHttpPeer();
});
beforeEach(() => {
  login.answer = () => new Response("Please sign in");
});
afterAll(async () => {
  await api.stop();
  await login.stop();
});

async function checked(config: JsonObject, token: string) {
  const executor = createHttpExecutor({ lookup: namesOnly({}), environment: {} });
  const given = { baseUrl: api.url, authType: "bearer", ...config };
  return await executor.test(contextOf("http", { config: given, secrets: { token } }, "/nowhere"));
}

test("a credential whose request ends at a login page of another origin fails the connection's test", async () => {
  const checks = await checked({}, "tok-wrong");
  expect(checks).toMatchObject([
    { name: "HTTP request", ok: true },
    { name: "Authentication", ok: false },
  ]);
  expect(checks[0]?.detail).toContain(`${login.url}/login`);
  expect(checks[0]?.detail).not.toContain("from=api");
  expect(checks[1]?.detail).toContain(`redirected to ${login.url}, where the agent does not send the credential`);
});

test("a login page that refuses, or redirects back to the API, fails the connection's test", async () => {
  const answers = [() => new Response("", { status: 401 }), () => Response.redirect(`${api.url}/signed-out`)];
  for (const answer of answers) {
    login.answer = answer;
    const [, authentication] = await checked({}, "tok-wrong");
    expect(authentication).toMatchObject({ ok: false });
    expect(authentication?.detail).toContain(`redirected to ${login.url}`);
  }
});

test("a redirect below baseUrl, or of a connection without a credential, passes the connection's test", async () => {
  expect(await checked({ baseUrl: `${api.url}/moved` }, TOKEN)).toMatchObject([
    { ok: true, detail: `GET ${api.url}/moved, redirected to ${api.url}/moved/v2, answered 200 OK.` },
    { ok: true },
  ]);
  expect(await checked({ authType: "none" }, "")).toMatchObject([{ ok: true }, { ok: true }]);
});

test("a redirect outside baseUrl fails the connection's test, which names the target", async () => {
  const [, authentication] = await checked({ baseUrl: `${api.url}/v1` }, TOKEN);
  expect(authentication).toMatchObject({ name: "Authentication", ok: false });
  expect(authentication?.detail).toContain(`redirected to ${api.url}/v2, where the agent does not send the credential`);
});

test("the output of a redirected request has the final url", async () => {
  const send = (token: string, params: JsonObject = {}) =>
    requestWith({}, { baseUrl: api.url, authType: "bearer" }, params, { secrets: { token } });
  expect(outputOf(await send("tok-wrong"))).toMatchObject({ statusCode: 200, url: `${login.url}/login?from=api` });
  expect(outputOf(await send(TOKEN))).not.toHaveProperty("url");
  expect(outputOf(await send("tok-wrong", { expectStatus: 302 }))).not.toHaveProperty("url");
});

test("a failure after a redirect names the final server, and does not blame a credential that it never got", async () => {
  login.answer = () => new Response("", { status: 401 });
  const outcome = await requestWith({}, { baseUrl: api.url, authType: "bearer" }, {}, { secrets: { token: "wrong" } });
  const { message } = failureOf(outcome);
  expect(message).toContain(`redirected to ${login.url}/login`);
  expect(message).toContain("where the agent does not send the credential");
  expect(message).not.toContain("was not accepted");
});
