import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createServer, type Server } from "node:https";
import { proxyFor } from "../../agent/executors/http/proxy.ts";
import { selfSigned } from "../support/certificate.ts";
import { failureOf, outputOf } from "../support/executor-context.ts";
import { namesOnly, requestWith } from "../support/http-executor.ts";
import { type HttpProxy, type HttpProxyOptions, startHttpProxy } from "../support/http-proxy.ts";

let certificate: { key: string; cert: string };
let plain: Bun.Server<undefined>;
let secure: Server;
let securePort = 0;
const proxies: HttpProxy[] = [];
beforeAll(async () => {
  certificate = await selfSigned("DNS:target.example");
  plain = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => Response.json([new URL(request.url).pathname, request.headers]),
  });
  secure = createServer(certificate, (request, response) =>
    response.end(`secure ${request.url} ${JSON.stringify(request.headers)}`),
  );
  await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
  const address = secure.address();
  securePort = address !== null && typeof address === "object" ? address.port : 0;
});
afterAll(async () => {
  secure.close();
  await plain.stop(true);
});
beforeEach(() => {
  proxies.length = 0;
});
afterEach(() => Promise.all(proxies.map((proxy) => proxy.close())));

async function proxy(options: HttpProxyOptions): Promise<HttpProxy> {
  const started = await startHttpProxy(options);
  proxies.push(started);
  return started;
}

/** One public name and one name of the internal network. Every other name resolves only at the proxy. */
const lookup = namesOnly({ "target.example": ["192.0.2.7"], "inner.example": ["10.1.2.3"] });

function request(baseUrl: string, environment: Record<string, string>, allowPrivateNetwork = false) {
  return requestWith({ lookup, environment }, { baseUrl, verifySsl: false }, { path: "x" }, { allowPrivateNetwork });
}

describe("an HTTP request through a proxy", () => {
  test("to https uses a tunnel that the proxy cannot read", async () => {
    const { port, heads } = await proxy({ targetPort: securePort });
    const outcome = await request("https://target.example:8443", { HTTPS_PROXY: `http://127.0.0.1:${port}` });
    expect(outputOf(outcome)["body"]).toStartWith("secure /x");
    expect(heads).toHaveLength(1);
    expect(heads[0]).toStartWith("CONNECT target.example:8443 HTTP/1.1\r\n");
    expect(heads[0]).toContain("host: target.example:8443\r\n");
  });

  test("to http sends the whole address to the proxy", async () => {
    const { port, heads } = await proxy({ targetPort: plain.port ?? 0 });
    const outcome = await request("http://target.example", { http_proxy: `127.0.0.1:${port}` });
    expect(outcome.status).toBe("succeeded");
    expect(heads[0]).toStartWith("GET http://target.example/x HTTP/1.1\r\n");
  });

  test("logs in to the proxy, and sends the login to no other server", async () => {
    const authorization = `Basic ${Buffer.from("us er:p@ss").toString("base64")}`;
    const { port } = await proxy({ targetPort: securePort, authorization });
    const outcome = await request("https://target.example", { HTTPS_PROXY: `http://us%20er:p%40ss@127.0.0.1:${port}` });
    expect(outputOf(outcome)["body"]).toStartWith("secure /x");
    expect(outputOf(outcome)["body"]).not.toContain("authorization");
    const refused = failureOf(await request("https://target.example", { HTTPS_PROXY: `http://127.0.0.1:${port}` }));
    expect(refused.code).toBe("unreachable");
    expect(refused.message).toContain("407");
  });

  test("verifies the certificate of a proxy with an https:// address", async () => {
    const { port, heads } = await proxy({ targetPort: securePort, tls: certificate });
    // verifySsl is for the target: the proxy's certificate is always verified, and this one is not trusted.
    const { code, message } = failureOf(
      await request("https://target.example", { HTTPS_PROXY: `https://127.0.0.1:${port}` }),
    );
    expect(code).toBe("tls_error");
    expect(message).toContain("the proxy");
    expect(heads).toEqual([]);
  });

  test("to a private address is blocked before the proxy gets it", async () => {
    const { port, heads } = await proxy({ targetPort: securePort });
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${port}`, HTTP_PROXY: `http://127.0.0.1:${port}` };
    for (const target of [
      "https://10.0.0.1",
      "http://169.254.169.254",
      "https://inner.example",
      "http://[::ffff:127.0.0.1]",
    ]) {
      expect(failureOf(await request(target, environment)).code).toBe("address_blocked");
    }
    expect(heads).toEqual([]);
    expect((await request("https://inner.example", environment, true)).status).toBe("succeeded");
  });

  test("may have a host that only the proxy can resolve", async () => {
    const { port } = await proxy({ targetPort: securePort });
    const outcome = await request("https://unknown-here.example", { HTTPS_PROXY: `http://127.0.0.1:${port}` });
    expect(outcome.status).toBe("succeeded");
  });

  test("is not sent while DNS fails, because the name may have a private address", async () => {
    const { port, heads } = await proxy({ targetPort: plain.port ?? 0 });
    const environment = { http_proxy: `http://127.0.0.1:${port}` };
    for (const reason of ["EAI_AGAIN", "ESERVFAIL", "ETIMEOUT"]) {
      const failing = () => Promise.reject(Object.assign(new Error(reason), { code: reason }));
      const config = { baseUrl: "http://unsure.example" };
      const send = (allowPrivateNetwork: boolean) =>
        requestWith({ lookup: failing, environment }, config, {}, { allowPrivateNetwork });
      expect(failureOf(await send(false))).toMatchObject({ code: "unreachable" });
      expect(heads.splice(0)).toEqual([]);
      expect((await send(true)).status).toBe("succeeded");
      expect(heads.splice(0)).toHaveLength(1);
    }
  });

  test("never sends names of this machine, the local network or cloud metadata to the proxy, for any DNS answer", async () => {
    const { port, heads } = await proxy({ targetPort: plain.port ?? 0 });
    const environment = { http_proxy: `http://127.0.0.1:${port}` };
    const hosts = [
      "localhost",
      "LOCALHOST.",
      "a.localhost",
      "metadata.google.internal",
      "metadata.google.internal.",
      "vault.internal",
      "printer.local",
    ];
    const publicly = async () => ["192.0.2.7"];
    for (const host of hosts) {
      for (const lookup of [namesOnly({}), publicly]) {
        const outcome = await requestWith(
          { lookup, environment },
          { baseUrl: `http://${host}` },
          {},
          { allowPrivateNetwork: false },
        );
        const { code, message } = failureOf(outcome);
        expect({ host, code }).toEqual({ host, code: "address_blocked" });
        expect(message).toContain("ALLOW_PRIVATE_NETWORK");
      }
    }
    expect(heads).toEqual([]);
    expect((await request("http://printer.local", environment, true)).status).toBe("succeeded");
    expect((await request("http://mylocal.example", environment)).status).toBe("succeeded");
  });

  test("with an unreachable proxy fails with an error about the proxy", async () => {
    const { port, close } = await startHttpProxy({ targetPort: securePort });
    await close();
    const { code, message } = failureOf(
      await request("https://target.example", { HTTPS_PROXY: `http://127.0.0.1:${port}` }),
    );
    expect(code).toBe("unreachable");
    expect(message).toContain("the proxy");
  });

  test("with an invalid proxy address names the setting, not its value", async () => {
    const { message } = failureOf(
      await request("https://target.example", { HTTPS_PROXY: "socks5://user:secret@host" }),
    );
    expect(message).toContain("HTTPS_PROXY");
    expect(message).not.toContain("secret");
  });
});

describe("the proxy of a target", () => {
  const proxied: [string, string][] = [
    ["https://api.example.com", ""],
    ["https://example.com.evil", "example.com"],
    ["https://notexample.com", "example.com"],
    ["https://api.example.com:8443", "example.com:443"],
    ["https://10.1.2.3", "10.2.0.0/16"],
    ["https://10.1.2.3", "10.1.2.0/33"],
  ];
  for (const [target, exceptions] of proxied) {
    test(`is used for ${target} with NO_PROXY=${exceptions}`, () => {
      const environment = { HTTPS_PROXY: "http://proxy.example:3128", NO_PROXY: exceptions };
      expect(proxyFor(new URL(target), environment)?.host).toBe("proxy.example:3128");
    });
  }

  const direct: [string, string][] = [
    ["https://api.example.com", "*"],
    ["https://api.example.com", "example.com"],
    ["https://example.com", ".example.com"],
    ["https://api.example.com", "other, *.example.com"],
    ["https://API.example.com", "Example.COM"],
    ["https://api.example.com", "example.com:443"],
    ["https://api.example.com:8443", "example.com:8443"],
    ["https://10.1.2.3", "localhost 10.0.0.0/8"],
    ["https://10.1.2.3", "10.1.2.3"],
    ["https://[::1]:8443", "[::1]:8443"],
    ["https://[fd00::7]", "fd00::/8"],
    ["https://[::1]", "::1"],
  ];
  for (const [target, exceptions] of direct) {
    test(`is not used for ${target} with NO_PROXY=${exceptions}`, () => {
      const environment = { https_proxy: "http://proxy.example:3128", no_proxy: exceptions };
      expect(proxyFor(new URL(target), environment)).toBeNull();
    });
  }

  test("is chosen by the target's protocol", () => {
    const environment = { HTTPS_PROXY: "http://for-https:1", HTTP_PROXY: "http://for-http:1" };
    expect(proxyFor(new URL("https://a.example"), environment)?.hostname).toBe("for-https");
    expect(proxyFor(new URL("http://a.example"), environment)?.hostname).toBe("for-http");
    expect(proxyFor(new URL("http://a.example"), { HTTPS_PROXY: "http://for-https:1" })).toBeNull();
  });
});
