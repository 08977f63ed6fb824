import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { armWebhook, callWebhook, configureGate, triggered } from "../support/webhooks.ts";
import { query } from "../support/database.ts";

const CONNECTIONS = 16;

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

/** Sends over several connections until `until` is settled; returns how often each status came. */
async function flood(send: () => Promise<Response>, until: Promise<unknown>): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  const over = new AbortController();
  const stop = () => over.abort();
  until.then(stop, stop);
  const connection = async () => {
    while (!over.signal.aborted) {
      const response = await send();
      await response.arrayBuffer();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return statuses;
}

/** Uses a key's whole limit of a minute, in sequence. */
async function useWhole(webhook: Parameters<typeof callWebhook>[1]): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let sent = 0; sent < 60; sent += 1) {
    const body = JSON.stringify({ variables: { sent } });
    ids.add((await triggered(callWebhook(bellhop, webhook, { body }))).executionId);
  }
  return ids;
}

describe("a flood on one webhook key", () => {
  test("above its limit leaves another key its whole limit", async () => {
    const [flooded, quiet] = await Promise.all([armWebhook(bellhop), armWebhook(bellhop)]);
    let count = 0;
    const used = useWhole(quiet);
    const send = () => callWebhook(bellhop, flooded, { body: JSON.stringify({ variables: { count: count++ } }) });
    const statuses = await flood(send, used);
    expect((await used).size).toBe(60);
    expect(statuses.get(200)).toBeLessThanOrEqual(60);
    expect([...statuses.keys()].filter((status) => status !== 200 && status !== 429)).toEqual([]);
  });

  test("of guesses leaves another key its whole limit, and writes no row", async () => {
    const rows = async () => (await query(bellhop, "SELECT count(*) AS n FROM audit_log"))[0]?.["n"];
    const before = await rows();
    const [flooded, quiet] = await Promise.all([armWebhook(bellhop), armWebhook(bellhop)]);
    const used = useWhole(quiet);
    const statuses = await flood(() => callWebhook(bellhop, flooded, { secret: quiet.webhookSecret }), used);
    expect((await used).size).toBe(60);
    expect([...statuses.keys()].filter((status) => status !== 401 && status !== 429)).toEqual([]);
    expect(await rows()).toBe(before);
  });

  test("is refused without the database", async () => {
    const webhook = await armWebhook(bellhop);
    await useWhole(webhook);
    await bellhop.stopLibsql();
    try {
      const responses = await Promise.all(Array.from({ length: 200 }, () => callWebhook(bellhop, webhook)));
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([429]));
      expect(Number(responses[0]?.headers.get("Retry-After"))).toBeGreaterThanOrEqual(1);
    } finally {
      await bellhop.startLibsql();
    }
  });

  test("does not hide that its workflow was unpublished", async () => {
    const webhook = await armWebhook(bellhop);
    await useWhole(webhook);
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const flooding = flood(() => callWebhook(bellhop, webhook), over);
    expect((await callWebhook(bellhop, webhook)).status).toBe(429);
    await configureGate(bellhop, webhook, { versionId: null });
    // A few requests each second reach the gate, whose answer then applies to all.
    try {
      await eventually("a 404", async () => (await callWebhook(bellhop, webhook)).status === 404);
    } finally {
      end();
    }
    expect([...(await flooding).keys()].toSorted()).toEqual([404, 429]);
  });

  test("of only two refused requests keeps the order of the checks", async () => {
    const webhook = await armWebhook(bellhop);
    await useWhole(webhook);
    expect((await callWebhook(bellhop, webhook)).status).toBe(429);
    await configureGate(bellhop, webhook, { revoked: true });
    expect((await callWebhook(bellhop, webhook)).status).toBe(404);
  });
});
