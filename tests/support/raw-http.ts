import { connect } from "node:net";
import type { Socket } from "node:net";

/** The raw answer over one connection; `ended` when the server closed it. */
export interface RawExchange {
  readonly socket: Socket;
  text(): string;
  /** The status codes of the answers so far. */
  statuses(): number[];
  readonly ended: Promise<void>;
}

/** Sends raw bytes, one character per byte: for requests that no client would send. */
export function sendRaw(url: string, bytes: string): RawExchange {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = "";
  const ended = new Promise<void>((resolve) => {
    socket.on("end", resolve);
    socket.on("close", () => resolve());
  });
  socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
  // A server may answer and cut the connection while the rest is still being sent.
  socket.on("error", () => undefined);
  socket.write(Buffer.from(bytes, "latin1"));
  return {
    socket,
    text: () => received,
    statuses: () => [...received.matchAll(/HTTP\/1\.1 (\d{3})/gu)].map(([, status]) => Number(status)),
    ended,
  };
}
