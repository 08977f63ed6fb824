import { connect, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

export interface HttpProxy {
  port: number;
  /** The unparsed head of every request. */
  heads: string[];
  close(): Promise<void>;
}

export interface HttpProxyOptions {
  /** The value that the proxy requires in `Proxy-Authorization`. */
  authorization?: string;
  tls?: { key: string; cert: string };
  /** The target of names that only the proxy can resolve: a port of this machine. */
  targetPort: number;
}

/** A small forward proxy: tunnels with CONNECT, and forwards plain requests with an absolute URL. */
export async function startHttpProxy(options: HttpProxyOptions): Promise<HttpProxy> {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const serve = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", (first: Buffer) => {
      const head = first.toString("latin1");
      heads.push(head);
      const required = options.authorization;
      if (required !== undefined && !head.toLowerCase().includes(`proxy-authorization: ${required.toLowerCase()}`)) {
        socket.end(
          "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n",
        );
        return;
      }
      const upstream = connect({ host: "127.0.0.1", port: options.targetPort });
      sockets.add(upstream);
      upstream.on("error", () => socket.destroy());
      socket.on("close", () => upstream.destroy());
      upstream.on("connect", () => {
        if (head.startsWith("CONNECT ")) socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        // A proxy sends only the path to the target's server (RFC 9112, 3.2.1).
        else upstream.write(head.replace(/^(\S+) https?:\/\/[^/\s]+/u, "$1 "), "latin1");
        socket.pipe(upstream);
        upstream.pipe(socket);
      });
    });
  };
  const server: Server = options.tls === undefined ? createServer(serve) : createTlsServer(options.tls, serve);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: address !== null && typeof address === "object" ? address.port : 0,
    heads,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
