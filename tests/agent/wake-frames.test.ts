import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { eventually } from "../support/eventually.ts";
import { WakeServer } from "../support/wake-server.ts";
import { WakeParts } from "./wake-parts.ts";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Answers upgrades by hand (RFC 6455, 4.2.2), then writes the given bytes, valid or not. */
class RawServer {
  readonly sockets = new Set<Socket>();
  opened = 0;
  readonly #server: Server;

  constructor(bytes: () => Buffer, options: { allowHalfOpen?: boolean } = {}) {
    this.#server = createServer(options, (socket) => {
      this.sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => this.sockets.delete(socket));
      socket.once("data", (head) => {
        const key = /^sec-websocket-key: (.+)\r$/imu.exec(head.toString("latin1"))?.[1] ?? "";
        const accept = createHash("sha1").update(`${key}${GUID}`).digest("base64");
        this.opened++;
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
        );
        socket.write(bytes());
      });
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    return `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`;
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy();
    this.#server.close();
  }
}

/** A frame from the server, which is never masked (RFC 6455, 5.1). */
function frame(opcode: number, payload: Buffer, { final = true, length = payload.length } = {}): Buffer {
  const first = (final ? 0x80 : 0) | opcode;
  if (length < 126) return Buffer.concat([Buffer.from([first, length]), payload]);
  const head = Buffer.alloc(10);
  head[0] = first;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

const text = (content: string) => frame(1, Buffer.from(content));
/** Only unanswered pings reveal this case. */
const ENDLESS = "a message that never ends";
const garbage: [string, Buffer][] = [
  ["bytes that are not a frame", Buffer.from("HTTP/1.1 200 OK\r\n\r\nhello")],
  ["a reserved opcode", frame(0x3, Buffer.from("x"))],
  ["a reserved bit", Buffer.concat([Buffer.from([0xf1, 4]), Buffer.from("poll")])],
  ["a masked frame", Buffer.concat([Buffer.from([0x81, 0x84, 0, 0, 0, 0]), Buffer.from("poll")])],
  ["a ping that is too long", frame(0x9, Buffer.alloc(200))],
  ["text that is not UTF-8", frame(1, Buffer.from([0xff, 0xfe]))],
  ["a frame with a length of 4 GB", frame(1, Buffer.alloc(1_000), { length: 4_000_000_000 })],
  ["a message of more than a kilobyte", frame(1, Buffer.alloc(1_025, 0x61))],
  ["a message of ten megabytes", frame(2, Buffer.alloc(10_000_000))],
  [
    ENDLESS,
    Buffer.concat([
      frame(1, Buffer.alloc(0), { final: false }),
      ...Array.from({ length: 40 }, () => frame(0, Buffer.alloc(200_000), { final: false })),
    ]),
  ],
];

test("a message that is too long is logged as that", async () => {
  const raw = new RawServer(() => frame(1, Buffer.alloc(1_025, 0x61)));
  const parts = new WakeParts(await raw.start(), { holds: true });
  parts.socket.polled();
  await eventually("the end of it", () => parts.said("the service sent too much").length === 1);
  expect(parts.waits).toEqual([30_000]);
  await parts.socket.stop();
  raw.stop();
});

test("a socket that the server closes but keeps open below is reopened, and the agent polls", async () => {
  const raw = new RawServer(() => frame(0x8, Buffer.from([0x11, 0x39])), { allowHalfOpen: true });
  const parts = new WakeParts(await raw.start(), { holds: true });
  parts.socket.polled();
  await eventually("the end of it", () => parts.waits.length === 1);
  expect(parts.said("the service closes the connection")).toHaveLength(1);
  expect(parts.sessionOvers).toBe(1);
  parts.goOn();
  await eventually("the next one", () => raw.opened === 2);
  await parts.socket.stop();
  raw.stop();
});

describe("a wake socket that receives", () => {
  for (const [what, bytes] of garbage) {
    test(`${what} is dropped without a wake, and reopened`, async () => {
      const raw = new RawServer(() => bytes);
      const url = await raw.start();
      const parts = new WakeParts(url, {
        holds: true,
        limits: what === ENDLESS ? { pingEveryMs: 100, pongWithinMs: 200 } : {},
      });
      parts.socket.polled();
      await eventually("the end of it", () => parts.waits.length === 1);
      expect(parts.activity.wakes).toBe(0);
      expect(parts.said("was lost")).toHaveLength(1);
      parts.goOn();
      await eventually("the next one", () => raw.opened === 2);
      await parts.socket.stop();
      raw.stop();
    });
  }
});

test("`poll` in fragments with a ping between them is one wake", async () => {
  const pieces = [
    frame(1, Buffer.from("po"), { final: false }),
    frame(0x9, Buffer.from("!")),
    frame(0, Buffer.from("ll")),
  ];
  const raw = new RawServer(() => Buffer.concat([...pieces, text("poll")]));
  const parts = new WakeParts(await raw.start());
  parts.socket.polled();
  await eventually("both wakes", () => parts.activity.wakes === 2);
  await parts.socket.stop();
  raw.stop();
});

describe("a flood on the wake socket", () => {
  let server: WakeServer;
  beforeEach(() => {
    server = new WakeServer();
  });
  afterEach(async () => {
    await server.stop();
  });

  test("of unknown messages has no effect", async () => {
    const parts = new WakeParts(server.url);
    server.options = { onOpen: (peer) => void Array.from({ length: 20_000 }, () => peer.send("nonsense")) };
    parts.socket.polled();
    await eventually("the socket", () => server.open.size === 1);
    server.say("poll");
    await eventually("the wake behind the flood", () => parts.activity.wakes === 1);
    expect(parts.activity.wakeConnections).toBe(1);
    await parts.socket.stop();
  });
});
