/**
 * Runs as a worker, on its own thread: repeats one request over some connections until it is terminated. Each
 * connection sends its next request after the answer to the last. Counts the answers by status.
 */
export interface FloodOrder {
  hostname: string;
  port: number;
  connections: number;
  request: Uint8Array;
  /** For all connections together; without it, as many as are answered. */
  perSecond?: number;
}

declare const self: Worker;

const statuses: Record<string, number> = {};

self.addEventListener("message", ({ data }: MessageEvent<FloodOrder | "report">) => {
  if (data === "report") return postMessage(statuses);
  void Promise.all(Array.from({ length: data.connections }, () => connect(data))).then(() => postMessage("flooding"));
});

async function connect({ hostname, port, request, connections, perSecond }: FloodOrder): Promise<void> {
  const everyMs = perSecond === undefined ? 0 : (connections * 1_000) / perSecond;
  let received = "";
  let dueAt = performance.now() + everyMs * Math.random();
  await Bun.connect({
    hostname,
    port,
    socket: {
      open: (socket) => void socket.write(request),
      data: (socket, chunk) => {
        received += chunk.toString("latin1");
        const head = received.indexOf("\r\n\r\n");
        const length = Number(/\r\ncontent-length: (\d+)/iu.exec(received)?.[1]);
        // Every refusal, and every answer of /healthz, has a Content-Length.
        if (head < 0 || received.length < head + 4 + length) return;
        const status = received.slice(9, 12);
        statuses[status] = (statuses[status] ?? 0) + 1;
        received = "";
        dueAt += everyMs;
        if (dueAt <= performance.now()) socket.write(request);
        else setTimeout(() => socket.write(request), dueAt - performance.now());
      },
    },
  });
}
