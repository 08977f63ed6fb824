import { afterEach, beforeEach, expect, test } from "bun:test";
import { FakeService } from "../../support/fake-service.ts";
import { ServiceFront } from "../../support/service-front.ts";
import { AgentHome } from "../agent-process.ts";
import { examine } from "./doctor-report.ts";

let service: FakeService;
let front: ServiceFront;
let home: AgentHome;
beforeEach(async () => {
  service = await FakeService.start();
  front = new ServiceFront({ upstream: service.url });
  home = await AgentHome.make();
});
afterEach(async () => {
  await home.remove();
  await front.stop();
  await service.stop();
});

const doctor = (env: Record<string, string> = {}) => examine(home, front.url, env);

test("doctor does not blame the certificate when the port of an https:// address answers plain http", async () => {
  const { of, failed } = await doctor({ AGENT_API_URL: front.url.replace("http:", "https:") });
  expect(failed).toEqual(["certificate"]);
  expect(of("certificate")).toBe(
    `fail this port answers plain http and does not speak TLS. set AGENT_API_URL to http://127.0.0.1:${front.port}, which works on this machine only`,
  );
  expect(front.asked).toEqual(["/healthz"]);
});

test.each([
  ["200 OK", "set AGENT_API_URL to http://127.0.0.1"],
  // A port with TLS answers a plain request like this.
  ["400 Bad Request", "check that this port speaks TLS"],
])(
  "doctor on a port that ends the TLS handshake and answers a plain request with %s says: %s",
  async (status, found) => {
    const TLS_HELLO = 0x16;
    const silent = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data: (socket, bytes) => {
          if (bytes[0] !== TLS_HELLO) socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
          socket.end();
        },
      },
    });
    const { of, failed } = await doctor({ AGENT_API_URL: `https://127.0.0.1:${silent.port}` });
    silent.stop(true);
    expect(failed).toEqual(["certificate"]);
    expect(of("certificate")).toContain(found);
  },
);
