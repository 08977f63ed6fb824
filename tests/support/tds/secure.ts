import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createServer, type Server } from "node:tls";
import { type Bytes, PACKET, packetsOf, ProtocolError, readPacket } from "./packets.ts";

/**
 * TLS in TDS 7 (MS-TDS 3.3.5.2): the handshake's records are inside of PRELOGIN packets, all later ones are bare. A
 * separate TLS server does the cryptography; records between it and the client are wrapped and unwrapped here.
 */
export class TlsEngine {
  readonly #sessions = new Map<number, (secure: Duplex) => void>();

  private constructor(private readonly server: Server) {
    server.on("secureConnection", (secure) => {
      secure.on("error", () => undefined);
      this.#sessions.get(secure.remotePort ?? 0)?.(secure);
    });
    server.on("tlsClientError", () => undefined);
  }

  static async start(certificate: { key: string; cert: string }): Promise<TlsEngine> {
    const server = createServer({ ...certificate, maxVersion: "TLSv1.2" });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new TlsEngine(server);
  }

  /** The decrypted stream of a client before its handshake; null when the client gives up. */
  async accept(client: Bytes): Promise<Duplex | null> {
    const address = this.server.address();
    if (address === null || typeof address === "string") throw new Error("the TLS engine does not listen");
    const engine = connect({ port: address.port, host: "127.0.0.1" });
    engine.on("error", () => undefined);
    await new Promise<void>((resolve) => engine.once("connect", () => resolve()));
    const secured = Promise.withResolvers<Duplex>();
    this.#sessions.set(engine.localPort ?? 0, secured.resolve);
    client.stream.once("close", () => engine.destroy());
    // The last bytes, such as the reason for a refused login, must still arrive.
    engine.once("end", () => client.stream.end());
    return (await this.#handshake(client, engine)) ? await secured.promise : null;
  }

  stop(): void {
    this.server.close();
  }

  async #handshake(client: Bytes, engine: Socket): Promise<boolean> {
    let wrapped = true;
    engine.on("data", (records: Buffer) => {
      client.stream.write(wrapped ? packetsOf(PACKET.prelogin, records, true) : records);
    });
    for (;;) {
      const first = await client.peek();
      if (first === null) return false;
      // Application data: the client has finished the handshake, and no longer wraps.
      if (first === 0x17) break;
      const packet = await readPacket(client);
      if (packet === null) return false;
      if (packet.type !== PACKET.prelogin) throw new ProtocolError("a handshake that was left in the middle");
      engine.write(packet.body);
    }
    wrapped = false;
    engine.write(client.release());
    client.stream.on("data", (records: Buffer) => void engine.write(records));
    return true;
  }
}
