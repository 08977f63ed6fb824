import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import { failureOf, outputOf } from "../support/executor-context.ts";
import { namesOnly, requestWith } from "../support/http-executor.ts";
import { type HttpPeer, startHttpPeer } from "../support/http-peer.ts";
import { type HttpProxy, startHttpProxy } from "../support/http-proxy.ts";

const TOKEN = "tok-canary-4711";
let api: HttpPeer;
let other: HttpPeer;
beforeAll(() => {
  api = startHttpPeer();
  other = startHttpPeer();
});
beforeEach(() => {
  api.requests.length = 0;
  other.requests.length = 0;
  api.answer = () => new Response("ok");
  other.answer = () => new Response("ok");
});
afterAll(async () => {
  await api.stop();
  await other.stop();
});

/** Sends a request of a connection whose credential is for /api/v1 only. */
function send(params: JsonObject, config: JsonObject = {}, environment: Record<string, string> = {}) {
  const given = { baseUrl: `${api.url}/api/v1`, authType: "bearer", ...config };
  const deps = { lookup: namesOnly({ localhost: ["127.0.0.1"] }), environment };
  return requestWith(deps, given, params, { secrets: { token: TOKEN } });
}

function addressed(text: string): string {
  return text.replaceAll("API", api.url).replaceAll("OTHER", other.url).replaceAll("PORT", new URL(api.url).port);
}

/** The requests to the peer in order: path, and whether the request had the credential. */
function seen({ requests }: HttpPeer): [string, boolean][] {
  return requests.map((request) => [request.path, JSON.stringify([...request.headers]).includes(TOKEN)]);
}

describe("a url on the origin of baseUrl", () => {
  test.each([
    ["API/api/v1", "/api/v1"],
    ["API/api/v1/", "/api/v1/"],
    ["API/api/v1?next=../../admin", "/api/v1?next=../../admin"],
    ["API/api/v1/users/7", "/api/v1/users/7"],
    ["API/api/v1/group%2fproject", "/api/v1/group%2fproject"],
    ["API/api/v1/x;version=1", "/api/v1/x;version=1"],
    ["API/api/v1/...", "/api/v1/..."],
    ["API/admin/../api/v1/x", "/api/v1/x"],
    ["API\\api\\v1\\x", "/api/v1/x"],
    ["HTTP://127.0.0.1:PORT/api/v1/x", "/api/v1/x"],
  ])("below the path of baseUrl gets the credential: %s", async (url, path) => {
    expect((await send({ url: addressed(url) })).status).toBe("succeeded");
    expect(seen(api)).toEqual([[path, true]]);
  });

  test.each([
    ["a longer last segment", "API/api/v10"],
    ["a longer last segment and more", "API/api/v1x/y"],
    ["a parent path", "API/api"],
    ["the root", "API/"],
    ["a sibling path", "API/admin"],
    ["a parameter on a segment of baseUrl", "API/api/v1;x/y"],
    ["another letter case", "API/API/v1/x"],
    ["an encoded letter", "API/%61pi/v1/x"],
    ["an encoded slash instead of a slash", "API/api%2Fv1/x"],
    ["a doubled slash", "API/api//v1/x"],
    ["a leading doubled slash", "API//api/v1/x"],
    ["dots", "API/api/v1/../v2"],
    ["encoded dots", "API/api/v1/%2e%2E/v2"],
    ["dots with backslashes", "API/api/v1\\..\\v2"],
    ["dots before an encoded slash", "API/api/v1/..%2f..%2Fadmin"],
    ["dots before an encoded backslash", "API/api/v1/x%5C..%5c..%5cadmin"],
    ["dots that are encoded twice", "API/api/v1/%252e%252e/v2"],
    ["dots that are encoded three times", "API/api/v1/%25252e%25252e%25252fv2"],
    ["dots whose escapes are encoded character by character", "API/api/v1/%25%32%65%25%32%65/v2"],
    ["dots in IIS escapes", "API/api/v1/%u002e%u002e/v2"],
    ["dots before an encoded question mark", "API/api/v1/..%3f/v2"],
    ["dots with a parameter", "API/api/v1/..;/..;x=1/admin"],
    ["dots with an encoded parameter", "API/api/v1/..%3b/admin"],
    ["dots before a NUL", "API/api/v1/..%00/admin"],
    ["dots in overlong UTF-8", "API/api/v1/%c0%ae%C0%AE/admin"],
    ["another name of the same server", "http://localhost:PORT/api/v1/x"],
    ["another port", "OTHER/api/v1/x"],
    ["another scheme", "https://127.0.0.1:PORT/api/v1/x"],
  ])("outside the path of baseUrl is refused, and nothing is sent: %s", async (_what, url) => {
    const { code, message } = failureOf(await send({ url: addressed(url) }));
    expect(code).toBe("invalid_params");
    expect(message).toContain(`only for ${api.url}/api/v1 and what is below it`);
    expect([seen(api), seen(other)]).toEqual([[], []]);
  });

  test("is unrestricted without a credential, and with a credential for the whole origin", async () => {
    const configs: JsonObject[] = [{ authType: "none" }, { baseUrl: api.url }];
    for (const config of configs) {
      expect((await send({ url: `${api.url}/admin/..;/x` }, config)).status).toBe("succeeded");
    }
    expect(seen(api)).toEqual([
      ["/admin/..;/x", false],
      ["/admin/..;/x", true],
    ]);
  });
});

test("a path with dots before a parameter is refused like other dots", async () => {
  for (const path of ["..;/admin", "x/..;v=1/..;/admin", "..%3B/admin", "%2e%2e;/admin", "..%00"]) {
    expect(failureOf(await send({ path }))).toMatchObject({ code: "invalid_params" });
  }
  expect(seen(api)).toEqual([]);
});

test("slashes at the end of baseUrl have no effect", async () => {
  await send({ path: "x" }, { baseUrl: `${api.url}/api/v1//` });
  expect(seen(api)).toEqual([["/api/v1/x", true]]);
});

describe("a redirect", () => {
  const follow = async (location: string, from = "x") => {
    api.answer = ({ path }) =>
      path === `/api/v1/${from}`
        ? new Response(null, { status: 302, headers: { location: addressed(location) } })
        : new Response("end");
    return outputOf(await send({ path: from, headers: { "X-Trace": "t" } }));
  };

  test.each(["/api/v1/y", "y", "API/api/v1", "./y?z=1"])(
    "to %s, below baseUrl, gets the credential",
    async (location) => {
      await follow(location);
      expect(seen(api).map(([, credential]) => credential)).toEqual([true, true]);
    },
  );

  test.each(["/api/v10", "/login", "../v2/x", "/api/v1/..%2f..%2fadmin", "/api/v1/..;/admin", "/api/v1/%252e%252e/y"])(
    "to %s, on the same origin but not below baseUrl, is followed without the credential",
    async (location) => {
      expect((await follow(location))["body"]).toBe("end");
      expect(seen(api).map(([, credential]) => credential)).toEqual([true, false]);
      expect(api.requests[1]?.headers.get("x-trace")).toBe("t");
    },
  );

  test("that leaves baseUrl and returns does not get the credential again", async () => {
    const visited = async (through: "other" | "api") => {
      api.requests.length = 0;
      const away = through === "other" ? `${other.url}/away` : "/away";
      const back = () => Response.redirect(`${api.url}/api/v1/delete?all`);
      other.answer = back;
      api.answer = ({ path }) => {
        if (path === "/api/v1/x") return new Response(null, { status: 302, headers: { location: away } });
        return path === "/away" ? back() : new Response("end");
      };
      await send({ path: "x" });
      return seen(api);
    };
    expect(await visited("other")).toEqual([
      ["/api/v1/x", true],
      ["/api/v1/delete?all", false],
    ]);
    expect(seen(other)).toEqual([["/away", false]]);
    expect(await visited("api")).toEqual([
      ["/api/v1/x", true],
      ["/away", false],
      ["/api/v1/delete?all", false],
    ]);
  });

  test("to a page that asks for a login says that the credential was not sent there", async () => {
    api.answer = ({ path }) =>
      path === "/login"
        ? new Response("", { status: 401 })
        : new Response(null, { status: 302, headers: { location: "/login" } });
    const { message } = failureOf(await send({ path: "x" }));
    expect(message).toContain(`redirected to ${api.url}/login, where the agent does not send the credential`);
  });
});

describe("an author's header that names another host or path", () => {
  const HEADERS = {
    Host: "tenant.example",
    HOST: "127.0.0.1:1",
    Forwarded: "host=tenant.example",
    "X-Forwarded-Host": "tenant.example",
    X_Forwarded_Host: "tenant.example",
    "X-Forwarded-Server": "tenant.example",
    "X-Host": "tenant.example",
    "X-HTTP-Host-Override": "tenant.example",
    "X-Original-Host": "tenant.example",
    "X-Target-Host": "tenant.example",
    "X-Dest-Host": "tenant.example",
    "X-Forwarded-Authority": "tenant.example",
    "X-Original-Request-Uri": "/admin",
    "X-MS-Original-URL": "/admin",
    "X-Original-URL": "/admin",
    "X-Override-URL": "/admin",
    "X-Rewrite-URL": "/admin",
    "X-Envoy-Original-Dst-Host": "10.0.0.1:80",
    "X-Envoy-Original-Path": "/admin",
    "X-Forwarded-Prefix": "/admin",
    "X-Forwarded-URI": "/admin",
    "X-Original-URI": "/admin",
    "X-Request-URI": "/admin",
    "X-Script-Name": "/admin",
    "X-Proxy-URL": "http://tenant.example/",
    "X-Backend-Server": "tenant.example",
    "X-Real-Host": "tenant.example",
    "X-Host-Override": "tenant.example",
    Proxy: "http://tenant.example:3128",
  };

  test.each(Object.entries(HEADERS))("is refused on a request with a credential: %s", async (name, value) => {
    const configs: JsonObject[] = [{}, { authType: "apiKey", apiKeyHeader: "X-Other" }, { authType: "basic" }];
    for (const config of configs) {
      const secrets = { token: TOKEN, apiKey: TOKEN, username: "u", password: TOKEN };
      const base = { baseUrl: api.url, authType: "bearer", ...config };
      const { code, message } = failureOf(await requestWith({}, base, { headers: { [name]: value } }, { secrets }));
      expect(code).toBe("invalid_params");
      expect(message).toContain(name);
    }
    expect(seen(api)).toEqual([]);
  });

  test("is not confused with similar names, or with a header for the method", async () => {
    for (const name of [
      "X-Forwarded-For",
      "X-Forwarded-Proto",
      "X-HTTP-Method-Override",
      "X-Callback-URL",
      "Referer",
    ]) {
      expect((await send({ headers: { [name]: "x" } })).status).toBe("succeeded");
      expect(seen(api).at(-1)).toEqual(["/api/v1", true]);
    }
  });

  test("is sent on a connection without a credential", async () => {
    for (const [name, value] of Object.entries(HEADERS)) {
      await send({ headers: { [name]: value } }, { authType: "none" });
      expect(api.requests.at(-1)?.headers.get(name)).toBe(value);
    }
  });

  test("may be a Host header with the host of baseUrl", async () => {
    for (const Host of [new URL(api.url).host, "127.0.0.1"]) {
      expect((await send({ headers: { Host } })).status).toBe("succeeded");
    }
  });

  test("is refused with and without a credential if it is a hop-by-hop header", async () => {
    const travelling = ["Proxy-Authorization", "Connection", "Transfer-Encoding", "TE", "Upgrade", "Proxy-Connection"];
    for (const name of travelling) {
      for (const authType of ["bearer", "none"]) {
        const outcome = await send({ headers: { [name]: "authorization" } }, { authType });
        expect(failureOf(outcome)).toMatchObject({ code: "invalid_params" });
      }
    }
    expect(seen(api)).toEqual([]);
  });
});

describe("through the operator's proxy", () => {
  let proxy: HttpProxy;
  beforeAll(async () => {
    proxy = await startHttpProxy({ targetPort: Number(new URL(api.url).port) });
  });
  afterAll(() => proxy.close());

  test("the credential is sent only to addresses below baseUrl", async () => {
    api.answer = ({ path }) =>
      path === "/api/v1/x" ? new Response(null, { status: 302, headers: { location: "/login" } }) : new Response("end");
    const environment = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
    expect(outputOf(await send({ path: "x" }, {}, environment))["body"]).toBe("end");
    expect(proxy.heads.map((head) => [head.split(" ")[1], head.includes(TOKEN)])).toEqual([
      [`${api.url}/api/v1/x`, true],
      [`${api.url}/login`, false],
    ]);
  });
});
