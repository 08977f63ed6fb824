import { createServer, type Server, type Socket } from "node:net";

/** A Redis server that accepts every database and answers each other command with given bytes. */
export class HostileRedis {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(answer: Buffer, isClosing: boolean) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("data", (command) => {
        if (command.includes("SELECT")) return void socket.write("+OK\r\n");
        if (isClosing) socket.end(answer);
        else socket.write(answer);
      });
    });
  }

  /** `isClosing`: the connection ends behind the answer. */
  static async start(answer: Buffer, { isClosing = false } = {}): Promise<HostileRedis> {
    const hostile = new HostileRedis(answer, isClosing);
    await new Promise<void>((resolve) => hostile.#server.listen(0, "127.0.0.1", resolve));
    return hostile;
  }

  get config() {
    const address = this.#server.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    return { host: "127.0.0.1", port, authType: "none", tls: "off" };
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
