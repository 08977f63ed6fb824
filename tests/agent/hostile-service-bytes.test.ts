import { afterEach, describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { Parts } from "./parts.ts";

/** Answers that are not HTTP, or that never end: each ends at its time-out, and the agent continues. */
let parts: Parts | undefined;
afterEach(async () => {
  await parts?.stop();
  parts = undefined;
});

const UNREACHED = "did not reach the service";
const UNENDED = "no complete answer within 2 s";
const UNREADABLE = "an answer of an unexpected form";
const JSON_HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

/** A whole answer. The server closes the connection, because its HTTP allows no further answer behind this one. */
const whole = (bytes: string) => (socket: Socket) => void socket.end(bytes);
/** A part of an answer, and then silence. */
const part = (bytes: string) => (socket: Socket) => void socket.write(bytes);
/** The same bytes without end, each as soon as the last are sent. */
const endless = (head: string, more: string) => (socket: Socket) => {
  const write = () => {
    if (!socket.destroyed) socket.write(more, () => setImmediate(write));
  };
  socket.write(head, write);
};
/** A few bytes every 20 ms, without end. */
const drip = (head: string, more: string) => (socket: Socket) => {
  socket.write(head);
  const timer = setInterval(() => socket.write(more), 20);
  socket.on("close", () => clearInterval(timer));
};

const forms: [title: string, answer: (socket: Socket) => void, said: string][] = [
  ["a body that drips byte by byte", drip(`${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\n`, "1\r\n \r\n"), UNENDED],
  ["headers that drip one by one", drip("HTTP/1.1 200 OK\r\n", "X: y\r\n"), UNENDED],
  ["endless 100 Continue", endless("", "HTTP/1.1 100 Continue\r\n\r\n"), UNENDED],
  ["less than its Content-Length", part(`${JSON_HEAD}Content-Length: 999999999999999\r\n\r\n{}`), UNENDED],
  ["a negative length", whole(`${JSON_HEAD}Content-Length: -5\r\n\r\n{}`), UNREACHED],
  ["two different lengths", whole(`${JSON_HEAD}Content-Length: 2\r\nContent-Length: 20\r\n\r\n{}`), UNREACHED],
  ["a chunk of invalid size", whole(`${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\nzzzz\r\n`), UNREACHED],
  ["200,000 headers", whole(`${JSON_HEAD}${"a: b\r\n".repeat(200_000)}\r\n{}`), UNREACHED],
  [
    "a switch to another protocol",
    whole("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\nhello"),
    UNREACHED,
  ],
  ["another protocol's greeting", part("SSH-2.0-OpenSSH_9.2\r\n\r\n"), UNREACHED],
  ["no content", whole("HTTP/1.1 204 No Content\r\n\r\n"), UNREADABLE],
  [
    "a page for a browser",
    whole("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 14\r\n\r\n<html>\r\n</html>"),
    UNREADABLE,
  ],
  ["an invalid status", whole("HTTP/1.1 999 Unheard Of\r\nContent-Length: 2\r\n\r\n{}"), "refused with 999"],
  [
    "a redirect to a file URL",
    whole("HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n"),
    "redirected to file:///etc/passwd",
  ],
];

describe("an agent whose poll is answered with", () => {
  for (const [title, answer, said] of forms) {
    test(`${title} reports it, backs off, and runs the next job`, async () => {
      const agent = await Parts.start({ callTimeoutMs: 2_000 });
      parts = agent;
      await agent.poll();
      agent.service.fault("jobs", (_request, { socket }) => {
        if (socket === null) throw new Error("no socket");
        socket.on("error", () => undefined);
        answer(socket);
      });
      expect((await agent.poll()).firm).toBe(true);
      expect(agent.activity.lastError).toContain(said);
      const { id } = agent.service.enqueue();
      await agent.poll();
      expect(agent.executor.timesBegun(id)).toBe(1);
    });
  }
});
