import { afterAll, beforeAll, expect, test } from "bun:test";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { sendRaw } from "../support/raw-http.ts";
import { webhookPath } from "../support/webhooks.ts";

const BYTES = 1_024 * 1_024;

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const declared = `Content-Length: ${BYTES}\r\n\r\n${"x".repeat(BYTES)}`;
const chunked = `Transfer-Encoding: chunked\r\n\r\n${BYTES.toString(16)}\r\n${"x".repeat(BYTES)}\r\n0\r\n\r\n`;

test.each([
  ["a webhook without a secret", webhookPath(`wh${"0".repeat(22)}`), declared, 401],
  ["a webhook without a secret, in chunks", webhookPath(`wh${"0".repeat(22)}`), chunked, 401],
  ["results of an unknown agent", "/api/v1/agent/results", declared, 401],
  ["a management call without a token", "/api/v1/automation/incidents", declared, 401],
  ["an unknown address", "/nothing", declared, 404],
])("a refusal leaves the connection usable although the body was not read: %s", async (_what, path, body, status) => {
  const request = `POST ${path} HTTP/1.1\r\nHost: bellhop.test\r\n${body}`;
  const exchange = sendRaw(bellhop.url, `${request}GET /healthz HTTP/1.1\r\nHost: bellhop.test\r\n\r\n`);
  const secondAnswer = new Promise<void>((resolve) => {
    exchange.socket.on("data", () => exchange.statuses().length === 2 && resolve());
  });
  await Promise.race([secondAnswer, exchange.ended]);
  expect(exchange.statuses()).toEqual([status, 200]);
  exchange.socket.destroy();
});
