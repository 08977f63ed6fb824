import { connect } from "node:net";
import type { Socket } from "node:net";

/** What came back over one connection, as it came; `ended` when the server closed it. */
export interface RawExchange {
  readonly socket: Socket;
  text(): string;
  /** The status codes of the answers so far. */
  statuses(): number[];
  readonly ended: Promise<void>;
}

/** Sends bytes as they are, one character a byte: for what no client would send. */
export function sendRaw(url: string, bytes: string): RawExchange {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = "";
  const ended = new Promise<void>((resolve) => {
    socket.on("end", resolve);
    socket.on("close", () => resolve());
  });
  socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
  // A server that has said enough may cut the connection while the rest is still being sent.
  socket.on("error", () => undefined);
  socket.write(Buffer.from(bytes, "latin1"));
  return {
    socket,
    text: () => received,
    statuses: () => [...received.matchAll(/HTTP\/1\.1 (\d{3})/gu)].map(([, status]) => Number(status)),
    ended,
  };
}
