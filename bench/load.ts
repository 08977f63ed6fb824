import type { Socket } from "bun";

/** The results of one round of load. Latencies in milliseconds. */
export interface LoadResult {
  requests: number;
  seconds: number;
  rps: number;
  p50Ms: number;
  p99Ms: number;
}

/**
 * Sends `requests` over `connections` sockets; each socket sends its next request after the answer to the last. Every
 * answer must have status 200. It writes prepared bytes and parses little, because it runs on the measured
 * machine.
 */
export async function load(options: {
  url: string;
  connections: number;
  requests: readonly Uint8Array[];
}): Promise<LoadResult> {
  const { hostname, port } = new URL(options.url);
  const latencies = new Float64Array(options.requests.length);
  let next = 0;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: options.connections }, () =>
      runConnection(hostname, Number(port), () => {
        const index = next;
        const request = options.requests[index];
        if (request === undefined) return null;
        next += 1;
        return { request, done: (latencyMs) => (latencies[index] = latencyMs) };
      }),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  latencies.sort();
  return {
    requests: latencies.length,
    seconds,
    rps: latencies.length / seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}

/** The bytes of a POST with a JSON body. */
export function postBytes(url: string, headers: Readonly<Record<string, string>>, body: string): Uint8Array {
  const { host, pathname } = new URL(url);
  const lines = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

interface Turn {
  request: Uint8Array;
  done: (latencyMs: number) => void;
}

function runConnection(hostname: string, port: number, nextTurn: () => Turn | null): Promise<void> {
  return new Promise((resolve, reject) => {
    let turn: Turn | null = null;
    let sentAt = 0;
    let received = "";
    let isReused = false;
    const sendNext = (socket: Socket) => {
      turn = nextTurn();
      if (turn === null) {
        resolve();
        socket.end();
        return;
      }
      sentAt = performance.now();
      socket.write(turn.request);
    };
    const connect = () =>
      Bun.connect({
        hostname,
        port,
        socket: {
          open: (socket) => (turn === null ? sendNext(socket) : void socket.write(turn.request)),
          data: (socket, chunk) => {
            received += chunk.toString("latin1");
            if (!isWhole(received)) return;
            if (!received.startsWith("HTTP/1.1 200")) {
              reject(new Error(`answered ${received.slice(0, 400)}`));
              socket.end();
              return;
            }
            received = "";
            isReused = true;
            turn?.done(performance.now() - sentAt);
            sendNext(socket);
          },
          error: (_socket, error) => reject(error),
          close: (_socket, error) => {
            if (turn === null) return;
            const closed = error ?? new Error("the service closed the connection");
            if (!isReused || received !== "") return reject(closed);
            // A legal end of a reused connection: docs/design/http-api.md#connections.
            console.error(`bench: sends a request again on a new connection: ${closed.message}`);
            isReused = false;
            void connect();
          },
        },
      }).catch(reject);
    void connect();
  });
}

/** Whether the text is one complete answer. */
export function isWhole(text: string): boolean {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return false;
  const length = /\r\ncontent-length: (\d+)/iu.exec(text.slice(0, head + 2))?.[1];
  if (length !== undefined) return text.length >= head + 4 + Number(length);
  return text.endsWith("0\r\n\r\n");
}

function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
