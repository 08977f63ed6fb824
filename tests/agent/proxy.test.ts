import { afterEach, beforeEach, expect, test } from "bun:test";
import { connect, createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { join } from "node:path";
import { debianPeer } from "../support/debian-peer.ts";
import { eventually } from "../support/eventually.ts";
import { FakeService } from "../support/fake-service.ts";
import { AgentHome } from "./agent-process.ts";

/** Only the proxy can reach this name: it does not resolve. */
const HOST = "bellhop.test.invalid";

let service: FakeService;
let home: AgentHome;
let tls: ReturnType<typeof Bun.serve>;
let proxy: Server;
let asked: { target: string; authorization: string | null }[];
const sockets = new Set<Socket>();

beforeEach(async () => {
  service = await FakeService.start();
  home = await AgentHome.make();
  asked = [];
  makeCertificate(home.directory);
  // Adds TLS to the fake service.
  tls = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: { cert: Bun.file(home.path("cert.pem")), key: Bun.file(home.path("key.pem")) },
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === "POST" ? { body: await request.text() } : {};
      return fetch(`${service.url}${pathname}${search}`, { method, headers, ...body });
    },
  });
  proxy = createServer((client) => {
    sockets.add(client);
    client.on("error", () => undefined);
    client.once("data", (head) => {
      const text = head.toString("latin1");
      asked.push({
        target: text.split("\r\n", 1)[0] ?? "",
        authorization: /^proxy-authorization: (.*)$/imu.exec(text)?.[1]?.trim() ?? null,
      });
      const upstream = connect(tls.port ?? 0, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        client.pipe(upstream).pipe(client);
      });
      sockets.add(upstream);
      upstream.on("error", () => client.destroy());
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  await home.remove();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  proxy.close();
  await tls.stop(true);
  await service.stop();
});

function proxyUrl(userInfo = ""): string {
  const address = proxy.address();
  if (address === null || typeof address === "string") throw new Error("the proxy does not listen");
  return `http://${userInfo}127.0.0.1:${address.port}`;
}

function makeCertificate(directory: string): void {
  const args = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=${HOST}`;
  const made = Bun.spawnSync(
    [
      "openssl",
      ...args.split(" "),
      "-addext",
      `subjectAltName=DNS:${HOST}`,
      "-keyout",
      join(directory, "key.pem"),
      "-out",
      join(directory, "cert.pem"),
    ],
    { stderr: "pipe" },
  );
  if (made.exitCode !== 0) throw new Error(debianPeer("/usr/bin/openssl", "openssl") ?? made.stderr.toString());
}

test("HTTPS_PROXY is used for every call, and a private authority can be trusted", async () => {
  const { id } = service.enqueue({ params: { script: "echo through" } });
  const agent = await home.start(`https://${HOST}`, {
    env: { HTTPS_PROXY: proxyUrl("ada:pr0xy-canary@"), NODE_EXTRA_CA_CERTS: home.path("cert.pem") },
  });
  await eventually("the result", () => service.resultsOf(id).length === 1);
  expect(service.resultsOf(id)[0]?.output).toMatchObject({ stdout: "through\n" });
  expect(asked.every(({ target }) => target === `CONNECT ${HOST}:443 HTTP/1.1`)).toBe(true);
  expect(asked[0]?.authorization).toBe(`Basic ${Buffer.from("ada:pr0xy-canary").toString("base64")}`);
  expect(agent.log()).not.toContain("pr0xy-canary");
});

test("a server with an unverifiable certificate gets no key, for any settings of the environment", async () => {
  const agent = await home.start(`https://${HOST}`, {
    env: { HTTPS_PROXY: proxyUrl(), NODE_TLS_REJECT_UNAUTHORIZED: "0" },
  });
  await eventually("the refusal", () => agent.log().includes("registering failed"));
  expect(agent.log()).toMatch(/certificate|self.signed/iu);
  expect(service.calls).toEqual([]);
});

test("calls to this machine use no proxy", async () => {
  await home.start(service.url, { env: { HTTP_PROXY: proxyUrl(), HTTPS_PROXY: proxyUrl(), ALL_PROXY: proxyUrl() } });
  await eventually("the registration", () => service.registrations.length === 1);
  expect(asked).toEqual([]);
});
