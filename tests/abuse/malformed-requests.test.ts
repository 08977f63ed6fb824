import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { AgentClient } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { createAgent } from "../support/management.ts";
import { sendRaw } from "../support/raw-http.ts";
import { armWebhook, webhookPath } from "../support/webhooks.ts";

const MIB = 1_024 * 1_024;
const INCIDENTS = "/api/v1/automation/incidents";
const INCIDENT = '{"title":"disk full","severity":"low"}';

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

/** The head of an administrator's POST, followed by `body`. */
function post(headers: readonly string[], body = ""): string {
  const lines = [
    `POST ${INCIDENTS} HTTP/1.1`,
    "Host: bellhop.test",
    `Authorization: Bearer ${bellhop.adminToken}`,
    "Content-Type: application/json",
    ...headers,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

function get(path: string, headers: readonly string[] = []): string {
  return [`GET ${path} HTTP/1.1`, "Host: bellhop.test", ...headers, "", ""].join("\r\n");
}

/** The status of the one response to these bytes. */
async function statusOf(bytes: string): Promise<number> {
  const exchange = sendRaw(bellhop.url, bytes);
  try {
    return await eventually("an answer", () => exchange.statuses()[0]);
  } finally {
    exchange.socket.destroy();
  }
}

async function isServed(): Promise<void> {
  const response = await bellhop.api("GET", "/api/v1/automation/incidents?limit=1");
  expect(response.status).toBe(200);
}

const repeat = (count: number, of: (index: number) => string) => Array.from({ length: count }, (_, index) => of(index));

/** The bytes, and the allowed statuses: workerd answers invalid HTTP itself. */
const SHAPES: [title: string, bytes: () => string, statuses: number[]][] = [
  ["a body of 10^15 bytes is announced", () => post(["Content-Length: 1000000000000000"], INCIDENT), [413]],
  ["the length is negative", () => post(["Content-Length: -1"], INCIDENT), [400, 500]],
  ["there are two lengths", () => post(["Content-Length: 5", "Content-Length: 30"], INCIDENT), [400, 500]],
  ["the length is smaller than the body", () => post(["Content-Length: 5"], INCIDENT), [400]],
  ["the transfer coding is unknown", () => post(["Transfer-Encoding: xchunked"], "0\r\n\r\n"), [400, 500]],
  ["a chunk is larger than any number", () => post(["Transfer-Encoding: chunked"], `${"f".repeat(17)}\r\nx`), [400]],
  ["a chunk's extension does not end", () => post(["Transfer-Encoding: chunked"], `1;${"x".repeat(2 * MIB)}`), [400]],
  ["a header has 2 MiB", () => get("/healthz", [`X-Long: ${"x".repeat(2 * MIB)}`]), [431]],
  [
    "there are 50,000 headers",
    () =>
      get(
        "/healthz",
        repeat(50_000, (index) => `X-${index}: y`),
      ),
    [431],
  ],
  ["the address has 2 MiB", () => get(`/${"x".repeat(2 * MIB)}`), [431]],
  [
    "the query has 25,000 parameters",
    () => get(`${INCIDENTS}?${"a=1&".repeat(25_000)}`, [`Authorization: Bearer ${bellhop.adminToken}`]),
    [400],
  ],
  ["a header holds a NUL", () => get("/healthz", ["X-Nul: a\u0000b"]), [400]],
  ["there is no Host", () => "GET /healthz HTTP/1.1\r\n\r\n", [400]],
  ["it asks for a tunnel", () => "CONNECT elsewhere.test:443 HTTP/1.1\r\nHost: bellhop.test\r\n\r\n", [400, 405, 500]],
];

describe("a request is answered, and other requests are served, when", () => {
  for (const [title, bytes, statuses] of SHAPES) {
    test(title, async () => {
      expect(statuses).toContain(await statusOf(bytes()));
      await isServed();
    });
  }

  test("its body breaks off, with a length or in chunks", async () => {
    for (const [header, body] of [
      ["Content-Length: 100", INCIDENT],
      ["Transfer-Encoding: chunked", '5\r\n{"tit'],
    ]) {
      const exchange = sendRaw(bellhop.url, post([header ?? ""], body));
      exchange.socket.end();
      await eventually("the refusal", () => exchange.text().includes("The body was cut off before its end"));
      expect(exchange.statuses()).toEqual([400]);
    }
    await isServed();
  });

  test("a second request follows its body: that request has no credentials", async () => {
    // The length is 0, so the rest is a separate request on this connection, without credentials.
    const smuggled = `GET ${INCIDENTS} HTTP/1.1\r\nHost: bellhop.test\r\n\r\n`;
    const exchange = sendRaw(bellhop.url, post(["Content-Length: 0"], smuggled));
    await eventually("both answers", () => exchange.statuses().length >= 2);
    expect(exchange.statuses()).toEqual([400, 401]);
    exchange.socket.destroy();
  });

  test("it is one of five hundred on one connection: they are answered in order", async () => {
    const exchange = sendRaw(bellhop.url, get("/healthz").repeat(500));
    await eventually("all answers", () => exchange.statuses().length >= 500);
    expect(new Set(exchange.statuses())).toEqual(new Set([200]));
    exchange.socket.destroy();
  });
});

describe("a compressed body is refused before it is decompressed", () => {
  const zeros = new Uint8Array(64 * MIB);
  const bombs: [coding: string, bytes: () => Uint8Array<ArrayBuffer>][] = [
    ["gzip", () => Bun.gzipSync(zeros)],
    ["deflate", () => Bun.deflateSync(zeros)],
    ["zstd", () => new Uint8Array(Bun.zstdCompressSync(zeros))],
    ["br", () => new Uint8Array(1_000)],
    ["gzip, gzip", () => Bun.gzipSync(Bun.gzipSync(zeros))],
  ];
  for (const [coding, bytes] of bombs) {
    test(`as ${coding}`, async () => {
      expect(await refusalOf(INCIDENTS, bytes(), { "Content-Encoding": coding })).toBe("415 unsupported_media_type");
    });
  }

  test("by every endpoint with a body", async () => {
    const agent = new AgentClient(bellhop, (await createAgent(bellhop)).apiKey);
    await agent.register();
    const agentHeaders = { Authorization: `Bearer ${agent.key}`, "Bellhop-Session": agent.session ?? "" };
    const webhook = await armWebhook(bellhop);
    const bomb = Bun.gzipSync(zeros);
    const small = Bun.gzipSync(new Uint8Array(MIB));
    const places: [path: string, bytes: Uint8Array<ArrayBuffer>, headers: Record<string, string>][] = [
      ["/api/v1/agent/register", bomb, agentHeaders],
      ["/api/v1/agent/results", bomb, agentHeaders],
      ["/api/v1/agent/heartbeat", bomb, agentHeaders],
      ["/api/v1/agent/offline", bomb, agentHeaders],
      ["/api/v1/automation/workflows/import", bomb, { "Content-Type": "application/yaml" }],
      ["/api/v1/auth/login", small, {}],
      [webhookPath(webhook.webhookKey), bomb, { Authorization: `Bearer ${webhook.webhookSecret}` }],
      [await alertmanagerPath(), bomb, {}],
    ];
    for (const [path, bytes, headers] of places) {
      const answer = await refusalOf(path, bytes, { ...headers, "Content-Encoding": "gzip" });
      expect([path, answer]).toEqual([path, "415 unsupported_media_type"]);
    }
    expect(await agent.poll()).toEqual({ jobs: [], cancelled: [] });
  });

  /** Sent by an administrator as JSON, unless the headers say otherwise. */
  async function refusalOf(path: string, body: Uint8Array<ArrayBuffer>, headers: Record<string, string>) {
    const response = await fetch(`${bellhop.url}${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${bellhop.adminToken}`, "Content-Type": "application/json", ...headers },
      body,
    });
    const { code, detail } = z.looseObject({ code: z.string(), detail: z.string() }).parse(await response.json());
    return detail.includes("without compression") ? `${response.status} ${code}` : detail;
  }

  async function alertmanagerPath(): Promise<string> {
    const body = { name: "alerts", kind: "alertmanager" };
    const response = await bellhop.api("POST", "/api/v1/automation/integrations", body);
    const { url } = z.object({ data: z.object({ url: z.string() }) }).parse(await response.json()).data;
    return new URL(url).pathname;
  }
});

describe("an unacceptable body is refused:", () => {
  for (const [title, type, body, status] of [
    [
      "a form",
      "multipart/form-data; boundary=x",
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--',
      415,
    ],
    ["plain text", "text/plain", INCIDENT, 415],
    ["no type", "", INCIDENT, 415],
    ["brackets without end", "application/json", "[".repeat(100_000), 400],
    ["an object with a million keys", "application/json", `{${repeat(250_000, (n) => `"${n}":1`).join()}}`, 400],
    ["a duplicate key", "application/json", '{"title":"a","title":"b","severity":"none"}', 400],
    ["bytes that are not UTF-8", "application/json", new Uint8Array([0x22, 0xff, 0x22]), 400],
  ] as const) {
    test(title, async () => {
      const response = await fetch(`${bellhop.url}${INCIDENTS}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${bellhop.adminToken}`, "Content-Type": type },
        body,
      });
      expect(response.status).toBe(status);
      // A response is never many times the size of the request.
      expect((await response.text()).length).toBeLessThan(100_000);
    });
  }
});
