import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { Connection } from "mysql2";
import { ExecutorFailure } from "../../shared/failures.ts";
import { encryptTcp, type TlsTarget } from "../../shared/tcp-session.ts";

/** The members of mysql2's connection that encrypt it. */
interface Internals {
  stream: Duplex;
  packetParser: { execute(chunk: Buffer): void; onPacket(packet: unknown): void };
  startTLS(done: (error?: Error) => void): void;
}

/**
 * Encrypts by the same rules as all other connections of this agent. mysql2 itself checks a certificate against
 * "localhost" when the host is an address, and accepts unencrypted packets that follow the server's greeting.
 */
export function useOwnTls(
  connection: Connection,
  target: TlsTarget,
  hooks: {
    begun: () => void;
    encrypted: (secure: TLSSocket) => void;
    failed: (error: unknown) => void;
    received: (chunk: Buffer) => void;
  },
): void {
  const internals = internalsOf(connection);
  internals.startTLS = (done) => {
    hooks.begun();
    const { stream, packetParser } = internals;
    const { onPacket } = packetParser;
    packetParser.onPacket = () => {
      const message = `${target.where} agreed to encrypt, but continued without encryption, which no MySQL server does. Find out which program answers there.`;
      fail(new ExecutorFailure("tls_error", message));
    };
    let failed = false;
    const fail = (error: unknown): void => {
      if (failed) return;
      failed = true;
      hooks.failed(error);
      stream.destroy();
    };
    stream.removeAllListeners("data");
    const encrypt = async (): Promise<void> => {
      // By now, bytes that arrived together with the greeting have been checked.
      await Promise.resolve();
      if (failed) return;
      const secure = await encryptTcp(stream, target);
      packetParser.onPacket = onPacket;
      secure.on("data", (chunk: Buffer) => {
        hooks.received(chunk);
        packetParser.execute(chunk);
      });
      secure.on("error", (error) => connection.emit("error", error));
      secure.on("close", () => stream.destroy());
      internals.stream = secure;
      hooks.encrypted(secure);
      done();
    };
    encrypt().catch(fail);
  };
}

function internalsOf(connection: unknown): Internals {
  if (!hasInternals(connection)) throw new Error("this version of mysql2 is not the one that its TLS was written for");
  return connection;
}

function hasInternals(connection: unknown): connection is Internals {
  return (
    typeof connection === "object" &&
    connection !== null &&
    "startTLS" in connection &&
    "stream" in connection &&
    "packetParser" in connection &&
    typeof connection.packetParser === "object" &&
    connection.packetParser !== null &&
    "onPacket" in connection.packetParser &&
    "execute" in connection.packetParser
  );
}
