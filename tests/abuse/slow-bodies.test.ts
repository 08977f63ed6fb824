import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { sendRaw } from "../support/raw-http.ts";
import type { RawExchange } from "../support/raw-http.ts";
import { armWebhook, callWebhook, webhookPath } from "../support/webhooks.ts";
import { FULL } from "../support/full.ts";

const INCIDENTS = "/api/v1/automation/incidents";
const WEBHOOKS = 5;
/** Fewer per webhook than its limit per minute. */
const FOR_EACH_WEBHOOK = 50;
const TO_MANAGEMENT = 250;

let bellhop: Bellhop;
let half: RawExchange[] = [];
beforeAll(async () => {
  bellhop = await startBellhop();
  const places = Array.from({ length: TO_MANAGEMENT }, () => ({ path: INCIDENTS, token: bellhop.adminToken }));
  for (let made = 0; made < WEBHOOKS; made += 1) {
    const { webhookKey, webhookSecret } = await armWebhook(bellhop);
    const place = { path: webhookPath(webhookKey), token: webhookSecret };
    places.push(...Array.from({ length: FOR_EACH_WEBHOOK }, () => place));
  }
  half = places.map(({ path, token }, index) => sendRaw(bellhop.url, halfOf(path, token, index % 2 === 0)));
});
afterAll(async () => {
  for (const { socket } of half) socket.destroy();
  await bellhop.stop();
});

/** The beginning of a POST whose body stops, with its length declared or in chunks. */
function halfOf(path: string, token: string, isDeclared: boolean): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: bellhop.test",
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    isDeclared ? "Content-Length: 1000" : "Transfer-Encoding: chunked",
  ];
  return `${head.join("\r\n")}\r\n\r\n${isDeclared ? '{"title":' : '9\r\n{"title":\r\n'}`;
}

describe("five hundred bodies that stop half-way", () => {
  test("do not delay other requests", async () => {
    expect(half).toHaveLength(500);
    for (let served = 0; served < 20; served += 1) {
      expect((await bellhop.api("GET", `${INCIDENTS}?limit=1`)).status).toBe(200);
      expect((await bellhop.api("POST", INCIDENTS, { title: "disk full", severity: "low" })).status).toBe(201);
    }
    expect((await callWebhook(bellhop, await armWebhook(bellhop), {})).status).toBe(200);
    // None was accepted as complete.
    expect(half.flatMap((exchange) => exchange.statuses()).filter((status) => status !== 408)).toEqual([]);
  });

  if (!FULL) console.log("skipped  five hundred bodies that stop half-way end: in npm run test:full only");
  test.skipIf(!FULL)("end with 408 and their connections are closed", async () => {
    await eventually("all answers", () => half.every((exchange) => exchange.statuses().length > 0), 60_000);
    expect(new Set(half.flatMap((exchange) => exchange.statuses()))).toEqual(new Set([408]));
    await Promise.all(half.map(({ ended }) => ended));
    for (const { text } of half) expect(text()).toContain('"code":"request_timeout"');
    expect((await bellhop.api("GET", `${INCIDENTS}?limit=1`)).status).toBe(200);
  });
});
