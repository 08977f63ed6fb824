import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { proxyFor } from "../../agent/wake/proxy.ts";
import { selfSigned } from "../support/certificate.ts";
import { eventually } from "../support/eventually.ts";
import { FakeService } from "../support/fake-service.ts";
import { startHttpProxy } from "../support/http-proxy.ts";
import type { HttpProxy } from "../support/http-proxy.ts";
import { Tinyproxy, tinyproxyMissing } from "../support/tinyproxy.ts";
import { WakeServer } from "../support/wake-server.ts";
import { AgentHome } from "./agent-process.ts";
import { WakeParts } from "./wake-parts.ts";

/** Only the proxy can reach this name: it does not resolve. */
const HOST = "bellhop.test.invalid";
/** An address of this machine that does not look like one, so a proxy is used for it. */
const MAPPED = "::ffff:127.0.0.1";
/** Placeholders for the proxy's address in an environment, and for another port of the same kind. */
const PROXY = "<proxy>";
const OTHER = "<other>";

const rules: [Record<string, string>, string?][] = [
  [{}],
  [{ HTTPS_PROXY: PROXY }],
  [{ https_proxy: PROXY }],
  [{ HTTPS_PROXY: OTHER, https_proxy: PROXY }],
  [{ HTTPS_PROXY: PROXY, https_proxy: "" }],
  [{ ALL_PROXY: PROXY }],
  [{ ALL_PROXY: OTHER, HTTPS_PROXY: PROXY }],
  [{ HTTP_PROXY: PROXY }],
  ...[
    "*",
    "a.example.invalid",
    "A.Example.INVALID",
    "example.invalid",
    ".example.invalid",
    "*.example.invalid",
    "ple.invalid",
    "b.a.example.invalid",
    "a.example.invalid.",
    "a.example.invalid:443",
    "a.example.invalid:8443",
    "x, a.example.invalid",
    "x a.example.invalid",
    "x,*",
    ",",
  ].map((NO_PROXY): [Record<string, string>] => [{ HTTPS_PROXY: PROXY, NO_PROXY }]),
  [{ HTTPS_PROXY: PROXY, no_proxy: "a.example.invalid" }],
  [{ HTTPS_PROXY: PROXY, NO_PROXY: "a.example.invalid", no_proxy: "x" }],
  [{ HTTPS_PROXY: PROXY, NO_PROXY: "x", no_proxy: "a.example.invalid" }],
  [{ HTTPS_PROXY: PROXY, NO_PROXY: "a.example.invalid", no_proxy: "" }],
  [{ HTTPS_PROXY: PROXY, NO_PROXY: "a.example.invalid" }, "https://a.example.invalid:8443"],
  [{ HTTPS_PROXY: PROXY, NO_PROXY: "a.example.invalid:8443" }, "https://a.example.invalid:8443"],
  [{ HTTPS_PROXY: PROXY, NO_PROXY: "a.example.invalid:443" }, "https://a.example.invalid:8443"],
  // Documentation addresses (RFC 5737, RFC 3849), where nothing answers.
  [{ HTTPS_PROXY: PROXY }, "https://192.0.2.7"],
  [{ HTTPS_PROXY: PROXY, NO_PROXY: "192.0.2.7" }, "https://192.0.2.7"],
  [{ HTTPS_PROXY: PROXY, NO_PROXY: "192.0.2.0/24" }, "https://192.0.2.7"],
  [{ HTTPS_PROXY: PROXY, NO_PROXY: "198.51.100.0/24" }, "https://192.0.2.7"],
];

describe("the wake socket uses the same proxy as fetch", () => {
  for (const [template, url = "https://a.example.invalid"] of rules) {
    test(`${JSON.stringify(template)} ${url}`, async () => {
      const { promise: asked, resolve: ask } = Promise.withResolvers<string>();
      const proxies = await Promise.all([PROXY, OTHER].map((name) => listener(() => ask(name))));
      const env = Object.fromEntries(
        Object.entries(template).map(([name, value]) => [
          name,
          value.replace(PROXY, proxies[0]?.url ?? "").replace(OTHER, proxies[1]?.url ?? ""),
        ]),
      );
      // The program ends once a connection arrives at a proxy, or cannot be made.
      const code = `await fetch(${JSON.stringify(url)}, { signal: AbortSignal.timeout(1_000) }).catch(() => 0)`;
      const fetching = Bun.spawn([process.execPath, "-e", code], {
        env: { PATH: process.env["PATH"] ?? "", ...env },
        stdio: ["ignore", "ignore", "ignore"],
      });
      const taken = await Promise.race([asked, fetching.exited.then(() => null)]);
      const ours = proxyFor(url, env);
      expect(ours === null ? null : ours === proxies[0]?.url ? PROXY : OTHER).toBe(taken);
      fetching.kill();
      await fetching.exited;
      for (const { close } of proxies) close();
    });
  }

  test("this machine's addresses are reached without a proxy", () => {
    for (const url of ["http://127.0.0.1:8787", "http://localhost:1", "https://[::1]:8443", "https://127.1.2.3"]) {
      expect(proxyFor(url, { HTTPS_PROXY: "http://proxy.example.com:3128", HTTP_PROXY: "http://x:1" })).toBeNull();
    }
  });
});

function listener(onConnect: () => void): Promise<{ url: string; close: () => void }> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    onConnect();
    socket.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n");
  });
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = address !== null && typeof address === "object" ? address.port : 0;
      resolve({ url: `http://127.0.0.1:${port}`, close: () => server.close() });
    }),
  );
}

describe("the agent's wake socket through a proxy", () => {
  let service: FakeService;
  let home: AgentHome;
  let front: WakeServer;
  let proxy: HttpProxy | null;

  beforeEach(async () => {
    service = await FakeService.start();
    home = await AgentHome.make();
    const certificate = await selfSigned(`DNS:${HOST},IP:${MAPPED}`);
    await writeFile(home.path("ca.pem"), certificate.cert);
    front = new WakeServer({ tls: certificate, service });
    proxy = null;
  });
  afterEach(async () => {
    await home.remove();
    await proxy?.close();
    await front.stop();
    await service.stop();
  });

  test("uses a tunnel, with the proxy's credentials and a private certificate authority", async () => {
    const authorization = `Basic ${Buffer.from("ada:pr0xy:c@nary").toString("base64")}`;
    proxy = await startHttpProxy({ authorization, targetPort: front.port });
    const agent = await home.start(`https://${HOST}`, {
      env: {
        HTTPS_PROXY: `http://ada:pr0xy%3Ac%40nary@127.0.0.1:${proxy.port}`,
        NODE_EXTRA_CA_CERTS: home.path("ca.pem"),
        POLL_INTERVAL: "3600",
      },
    });
    await eventually("the wake socket", () => front.opened === 1);
    await eventually("the poll after it", () => service.callsTo("jobs").length === 2);
    const { id } = service.enqueue({ params: { script: "echo woken" } });
    front.say("poll");
    await eventually("the result", () => service.resultsOf(id).length === 1);
    expect(proxy.heads.every((head) => head.startsWith(`CONNECT ${HOST}:443 `))).toBe(true);
    expect(agent.log()).not.toContain("nary");
  });

  test("that wants other credentials logs that once, without the credentials", async () => {
    proxy = await startHttpProxy({ authorization: "Basic b3RoZXI6b3RoZXI=", targetPort: front.port });
    const agent = await home.start(`https://${HOST}`, {
      env: { HTTPS_PROXY: `http://ada:canary9@127.0.0.1:${proxy.port}`, NODE_EXTRA_CA_CERTS: home.path("ca.pem") },
    });
    await eventually("the refusal", () => agent.log().includes("registering failed"));
    expect(agent.log()).not.toContain("canary9");
    expect(front.asked).toEqual([]);
  });

  test("sends nothing to a server with an unverifiable certificate", async () => {
    const parts = new WakeParts(`https://localhost:${front.port}`, { holds: true });
    parts.socket.polled();
    await eventually("the refusal", () => parts.waits.length === 1);
    expect(front.asked).toEqual([]);
    expect(parts.said("cannot be opened")).toHaveLength(1);
    await parts.socket.stop();
  });

  test.skipIf(tinyproxyMissing !== null)(
    `works with tinyproxy${tinyproxyMissing === null ? "" : ` (${tinyproxyMissing})`}`,
    async () => {
      const real = await Tinyproxy.start({ login: { user: "ada", password: "word" }, connectPort: front.port });
      try {
        await home.start(`https://[${MAPPED}]:${front.port}`, {
          env: {
            HTTPS_PROXY: real.url("ada:word@"),
            NODE_EXTRA_CA_CERTS: home.path("ca.pem"),
            POLL_INTERVAL: "3600",
          },
        });
        await eventually("the wake socket", () => front.opened === 1);
        const { id } = service.enqueue({ params: { script: "echo woken" } });
        front.say("poll");
        await eventually("the result", () => service.resultsOf(id).length === 1);
        expect((await real.requests()).length).toBeGreaterThan(0);
      } finally {
        await real.stop();
      }
    },
  );
});
