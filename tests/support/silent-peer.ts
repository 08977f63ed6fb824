/** A TCP server that never answers and records all bytes: no secret may arrive here. */
export interface SilentPeer {
  readonly host: string;
  readonly port: number;
  /** The number of connections so far. */
  readonly connections: number;
  /** All bytes of all connections, as Latin-1. */
  readonly received: string;
  stop(): void;
}

export function startSilentPeer(hostname = "127.0.0.1"): SilentPeer {
  let connections = 0;
  let received = "";
  const listener = Bun.listen({
    hostname,
    port: 0,
    socket: {
      open: () => void (connections += 1),
      data: (_socket, bytes: Buffer) => void (received += bytes.toString("latin1")),
    },
  });
  return {
    host: hostname,
    port: listener.port,
    get connections() {
      return connections;
    },
    get received() {
      return received;
    },
    stop: () => listener.stop(true),
  };
}
