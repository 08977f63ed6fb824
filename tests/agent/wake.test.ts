import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { eventually } from "../support/eventually.ts";
import { FAKE_AGENT_KEY } from "../support/fake-service.ts";
import { startTcpRelay } from "../support/tcp-relay.ts";
import { WakeServer } from "../support/wake-server.ts";
import type { WakeServerOptions } from "../support/wake-server.ts";
import { WakeParts } from "./wake-parts.ts";

let server: WakeServer;
let parts: WakeParts;
beforeEach(() => {
  server = new WakeServer();
  parts = new WakeParts(server.url, { holds: true });
});
afterEach(async () => {
  await parts.socket.stop();
  await server.stop();
});

async function opened(times = 1): Promise<void> {
  parts.socket.polled();
  await eventually(
    `${times} open sockets so far`,
    () => server.opened === times && parts.activity.wakeConnections === times,
  );
}

async function again(): Promise<void> {
  const waits = parts.waits.length;
  parts.goOn();
  await eventually("the next wait", () => parts.waits.length > waits);
}

describe("the wake socket", () => {
  test("opens after the first poll, with the key and the session, without compression, and wakes once", async () => {
    expect(server.asked).toEqual([]);
    await opened();
    const { path, headers } = server.asked[0] ?? { path: "", headers: new Headers() };
    expect(path).toBe("/api/v1/agent/wake");
    expect(headers.get("Authorization")).toBe(`Bearer ${FAKE_AGENT_KEY}`);
    expect(headers.get("Bellhop-Session")).toBe("session-1");
    expect(headers.get("Sec-WebSocket-Extensions")).toBeNull();
    expect(parts.activity.wake).toBe("connected");
    expect(parts.wakes).toBe(1);
  });

  test("is not opened before the agent has a session", () => {
    parts.session = null;
    parts.socket.polled();
    expect(server.asked).toEqual([]);
    expect(parts.activity.wake).toBe("connecting");
  });

  test("wakes for `poll` and for no other message", async () => {
    await opened();
    for (const text of ["pong", "POLL", "poll ", "", '{"poll":true}', "cancel", "poll"]) server.say(text);
    for (const peer of server.open) peer.send(new TextEncoder().encode("poll"));
    server.say("poll");
    await eventually("both wakes", () => parts.activity.wakes === 2);
    expect(parts.wakes).toBe(3);
  });

  test("is reopened in the new session when the agent has registered again", async () => {
    await opened();
    parts.session = "session-2";
    await opened(2);
    expect(server.asked[1]?.headers.get("Bellhop-Session")).toBe("session-2");
    await eventually("the first to be closed", () => server.open.size === 1);
    expect(parts.logLines).toHaveLength(2);
  });

  test("closes with the agent, and does not reopen", async () => {
    await opened();
    await parts.socket.stop();
    await eventually("the end of it", () => server.open.size === 0);
    parts.socket.polled();
    expect(server.asked).toHaveLength(1);
  });
});

describe("a lost wake socket", () => {
  test("that the service closed is reopened without a warning", async () => {
    await opened();
    server.closeAll(1_012);
    await eventually("the wait", () => parts.waits.length === 1);
    const [line = "{}"] = parts.said("the service closed the wake socket; the agent opens it again");
    expect(JSON.parse(line)).toMatchObject({ level: "INFO", reason: "the service restarts (1012)" });
    expect(parts.logLines).toHaveLength(2);
  });

  test("is reopened and wakes; the attempts between cause one log line together", async () => {
    await opened();
    server.options = { refuse: () => new Response("", { status: 500 }) };
    server.closeAll(1_012);
    await eventually("the first wait", () => parts.waits.length === 1);
    for (let attempts = 0; attempts < 4; attempts++) await again();
    expect(parts.activity.wake).toBe("connecting");
    server.options = {};
    parts.goOn();
    await eventually("the second opening", () => parts.activity.wakeConnections === 2);
    expect(parts.wakes).toBe(2);
    expect(parts.said("is open:")).toHaveLength(2);
    expect(parts.said("the service closed the wake socket")).toHaveLength(1);
    expect(JSON.parse(parts.said("cannot be opened")[0] ?? "{}")).toMatchObject({ level: "WARNING" });
    expect(parts.logLines).toHaveLength(4);
  });

  test("is retried after growing random waits of up to a minute", async () => {
    server.options = { refuse: () => new Response("", { status: 500 }) };
    parts.socket.polled();
    await eventually("the first wait", () => parts.waits.length === 1);
    for (let attempts = 0; attempts < 8; attempts++) await again();
    // Half of 1, 2, 4 … 60 s, because the test's random numbers are all 0.5.
    expect(parts.waits.map((ms) => ms / 1_000)).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30, 30]);
    expect(parts.said("cannot be opened")).toHaveLength(1);
  });

  test("starts again from the shortest wait after a minute of health, not earlier", async () => {
    await opened();
    parts.clock.advance(59_000);
    server.closeAll(1_001);
    await eventually("a wait", () => parts.waits.length === 1);
    parts.goOn();
    await eventually("the second", () => server.open.size === 1 && parts.activity.wake === "connected");
    server.closeAll(1_001);
    await eventually("a wait", () => parts.waits.length === 2);
    parts.goOn();
    await eventually("the third", () => server.open.size === 1 && parts.activity.wake === "connected");
    parts.clock.advance(60_000);
    server.closeAll(1_001);
    await eventually("a wait", () => parts.waits.length === 3);
    expect(parts.waits).toEqual([500, 1_000, 500]);
  });
});

interface Case {
  name: string;
  refuse: WakeServerOptions["refuse"];
  waitMs: number;
  state: "unsupported" | "connecting";
  polls: number;
  says: string;
}
const refusedWith = (status: number, headers: Record<string, string> = {}) => ({
  refuse: () => new Response("", { status, headers }),
});
const SLOW = { waitMs: 450_000 };
const cases: Case[] = [
  { name: "401 (key)", ...refusedWith(401), ...SLOW, state: "connecting", polls: 1, says: "refused the key (401)" },
  {
    name: "404 (old service)",
    ...refusedWith(404),
    ...SLOW,
    state: "unsupported",
    polls: 0,
    says: "socket (404)",
  },
  {
    name: "405 (old service)",
    ...refusedWith(405),
    ...SLOW,
    state: "unsupported",
    polls: 0,
    says: "socket (405)",
  },
  {
    name: "409 (session)",
    ...refusedWith(409),
    waitMs: 500,
    state: "connecting",
    polls: 1,
    says: "session is over",
  },
  { name: "426 (proxy)", ...refusedWith(426), ...SLOW, state: "unsupported", polls: 0, says: "blocks it (426)" },
  {
    name: "200 (login page)",
    ...refusedWith(200),
    ...SLOW,
    state: "unsupported",
    polls: 0,
    says: "blocks it (200)",
  },
  {
    name: "503 with Retry-After",
    ...refusedWith(503, { "Retry-After": "7" }),
    waitMs: 7_500,
    state: "connecting",
    polls: 0,
    says: "is busy (503)",
  },
  {
    name: "503 with a Retry-After of a day",
    ...refusedWith(503, { "Retry-After": "86400" }),
    waitMs: 300_500,
    state: "connecting",
    polls: 0,
    says: "is busy (503)",
  },
  {
    name: "503 without Retry-After",
    ...refusedWith(503),
    waitMs: 500,
    state: "connecting",
    polls: 0,
    says: "is busy (503)",
  },
  { name: "502", ...refusedWith(502), waitMs: 500, state: "connecting", polls: 0, says: "had an error (502)" },
];

describe("a refused upgrade", () => {
  for (const { name, refuse, waitMs, state, polls, says } of cases) {
    test(`by ${name} leads to the state ${state} and the next attempt after ${waitMs} ms`, async () => {
      server.options = { refuse };
      parts.socket.polled();
      await eventually("the wait", () => parts.waits.length === 1);
      expect(parts.waits).toEqual([waitMs]);
      expect(parts.activity.wake).toBe(state);
      expect(parts.sessionOvers).toBe(polls);
      expect(parts.said(says)).toHaveLength(1);
      await again();
      expect(parts.logLines).toHaveLength(1);
    });
  }

  test("by a service without a wake socket is logged at INFO, and retried until the service has one", async () => {
    server.options = refusedWith(404);
    parts.socket.polled();
    await eventually("the wait", () => parts.waits.length === 1);
    expect(JSON.parse(parts.logLines[0] ?? "{}")).toMatchObject({ level: "INFO" });
    server.options = {};
    parts.goOn();
    await eventually("the socket", () => parts.activity.wake === "connected");
  });
});

describe("a close code of the service", () => {
  for (const [code, waitMs, polls] of [
    [4_401, 450_000, 1],
    [4_409, 500, 1],
    [1_001, 500, 0],
    [1_012, 500, 0],
    [1_000, 500, 0],
  ] as const) {
    test(`of ${code} leads to the next attempt after ${waitMs} ms`, async () => {
      await opened();
      server.closeAll(code);
      await eventually("the wait", () => parts.waits.length === 1);
      expect(parts.waits).toEqual([waitMs]);
      expect(parts.sessionOvers).toBe(polls);
    });
  }
});

describe("a silent connection", () => {
  test("is dropped when the network froze it", async () => {
    const relay = await startTcpRelay(server.port);
    const half = new WakeParts(`http://127.0.0.1:${relay.port}`, { limits: { pingEveryMs: 20, pongWithinMs: 1_000 } });
    half.socket.polled();
    await eventually("a ping that was answered", () => server.heard.length > 0);
    relay.freeze();
    await eventually("the next connection", () => server.opened === 2 && half.wakes === 2);
    expect(half.said("the service stopped answering")).toHaveLength(1);
    await half.socket.stop();
    await relay.close();
  });

  test("that never opened is given up after the time limit", async () => {
    const sockets = new Set<Socket>();
    const mute: Server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined);
    });
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    const address = mute.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const slow = new WakeParts(`http://127.0.0.1:${port}`, { limits: { connectMs: 50 }, holds: true });
    slow.socket.polled();
    await eventually("the wait", () => slow.waits.length === 1);
    expect(slow.said("not open within")).toHaveLength(1);
    await slow.socket.stop();
    for (const socket of sockets) socket.destroy();
    mute.close();
  });

  test("to a port where nothing listens is logged once", async () => {
    const nowhere = new WakeParts("http://127.0.0.1:9", { holds: true });
    nowhere.socket.polled();
    await eventually("the wait", () => nowhere.waits.length === 1);
    expect(nowhere.said("cannot be opened")).toHaveLength(1);
    expect(nowhere.said("cannot be opened")[0]).not.toContain(FAKE_AGENT_KEY);
    await nowhere.socket.stop();
  });
});
