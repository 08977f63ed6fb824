import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { STREAMS_PER_CALLER_MAX, STREAM_HEARTBEAT_MS } from "../../schema/contract/execution-event.ts";
import { OpenStreams } from "../../worker/http/open-streams.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { EventReader } from "../support/events.ts";
import { createToken, createUser, signedIn } from "../support/people.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

async function newToken(): Promise<Record<string, string>> {
  const browser = await signedIn(bellhop, await createUser(bellhop));
  const { secret } = await createToken(browser, { permissions: ["automation:read"] });
  return { Authorization: `Bearer ${secret}` };
}

test("a caller has a limited number of streams, and other callers have their own", async () => {
  const [greedy, other] = [await newToken(), await newToken()];
  const open = (credentials: Record<string, string>) =>
    EventReader.open(bellhop, "/executions/events", null, credentials);
  const streams: EventReader[] = [];
  try {
    while (streams.length < STREAMS_PER_CALLER_MAX) streams.push(await open(greedy));
    const refused = await fetch(`${bellhop.url}/api/v1/automation/executions/events`, { headers: greedy });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThanOrEqual(1);
    expect(await refused.text()).toContain("Close some");
    // Streams of others are admitted, and other requests still succeed.
    streams.push(await open(other));
    const list = await fetch(`${bellhop.url}/api/v1/automation/executions`, { headers: greedy });
    expect(list.status).toBe(200);
  } finally {
    for (const stream of streams) stream.drop();
  }
});

describe("a slot for a caller's stream", () => {
  function full(now: number) {
    const streams = new OpenStreams();
    const places = Array.from({ length: STREAMS_PER_CALLER_MAX }, () => streams.enter("a caller", now));
    return { streams, places };
  }

  test("is free again when the stream has ended", () => {
    const { streams, places } = full(0);
    expect(() => streams.enter("a caller", 0)).toThrow("Close some");
    places[7]?.ended();
    streams.enter("a caller", 0);
    expect(() => streams.enter("a caller", 0)).toThrow("Close some");
  });

  test("is free again after a while without output, because a client that goes is not always noticed", () => {
    const { streams, places } = full(0);
    const later = 4 * STREAM_HEARTBEAT_MS;
    // One of the streams is alive.
    places[0]?.alive(later - 1);
    for (let taken = 1; taken < STREAMS_PER_CALLER_MAX; taken += 1) streams.enter("a caller", later);
    expect(() => streams.enter("a caller", later)).toThrow("Close some");
  });
});
