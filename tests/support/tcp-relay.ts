import { connect, createServer, type Socket } from "node:net";

export interface TcpRelay {
  port: number;
  /** From now on nothing passes on the open connections; new ones still work. */
  freeze(): void;
  /** Refuses new connections. */
  refuse(): void;
  /** Resets every open connection. */
  breakOff(): void;
  close(): Promise<void>;
}

/**
 * Forwards connections to a port of this machine, until a test makes it fail as networks do. `onSent` sees every byte
 * to that port. The port may be looked up for each connection: a restarted service has another one.
 */
export async function startTcpRelay(
  targetPort: number | (() => number),
  onSent: (chunk: Buffer) => void = () => undefined,
): Promise<TcpRelay> {
  const pairs = new Set<{ outer: Socket; inner: Socket; frozen: boolean }>();
  let refusing = false;
  const server = createServer({ allowHalfOpen: true }, (outer) => {
    if (refusing) {
      outer.destroy();
      return;
    }
    const inner = connect({ host: "127.0.0.1", port: portOf(targetPort), allowHalfOpen: true });
    const pair = { outer, inner, frozen: false };
    pairs.add(pair);
    outer.on("data", onSent);
    for (const [from, to] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      from.on("data", (chunk) => void (pair.frozen || to.write(chunk)));
      from.on("end", () => void (pair.frozen || to.end()));
      from.on("error", () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const breakOff = (): void => {
    for (const { outer, inner } of pairs) {
      outer.destroy();
      inner.destroy();
    }
  };
  return {
    port: address !== null && typeof address === "object" ? address.port : 0,
    freeze: () => {
      for (const pair of pairs) pair.frozen = true;
    },
    refuse: () => {
      refusing = true;
    },
    breakOff,
    close: async () => {
      breakOff();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function portOf(target: number | (() => number)): number {
  return typeof target === "number" ? target : target();
}
