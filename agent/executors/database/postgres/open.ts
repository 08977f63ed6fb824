import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { unreachable } from "../../shared/dial.ts";
import { ExecutorFailure } from "../../shared/failures.ts";
import { connectTimeoutMs, openTcp, type Endpoint, withinTime } from "../../shared/tcp-session.ts";
import type { DatabaseTarget } from "../driver.ts";
import { describeTls, noTls, encryptTcp } from "../../shared/tcp-session.ts";

/** SSLRequest: its length, and a number in the place of a protocol version (PostgreSQL, "Message Formats"). */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** Opens a connection to a PostgreSQL server, encrypted as configured, before any login. */
export async function openPostgres(
  target: DatabaseTarget,
  endpoint: Endpoint,
  passed?: (stage: string, detail: string) => void,
): Promise<Duplex> {
  const { tls } = target.config;
  const { signal } = target;
  const timeoutMs = connectTimeoutMs(target);
  const socket = await openTcp(endpoint, { timeoutMs, signal, ...(passed === undefined ? {} : { passed }) });
  if (tls === "off") return socket;
  const encrypt = async (): Promise<Duplex> => {
    await askForTls(socket, endpoint.where);
    const secure = await encryptTcp(socket, { ...endpoint, tls, signal });
    passed?.("TLS", describeTls(secure, tls));
    return secure;
  };
  const limit = { where: endpoint.where, timeoutMs, signal, giveUp: () => socket.destroy() };
  try {
    return await withinTime(encrypt(), limit);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function askForTls(socket: Socket, where: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const onClose = (): void => reject(unreachable(where, new Error("it closed the connection immediately")));
  socket.once("close", onClose);
  socket.once("data", resolve);
  socket.write(SSL_REQUEST);
  const answer = await promise;
  socket.off("close", onClose);
  const said = answer.toString("latin1");
  if (said === "S") return;
  if (said === "N") throw noTls(where, "Turn it on there (ssl = on, with a certificate)");
  // Otherwise bytes that an attacker sends unencrypted after the S would count as the server's encrypted answer.
  if (said.startsWith("S")) {
    const message = `${where} sent data before the connection was encrypted, which no PostgreSQL server does. Find out which program answers there.`;
    throw new ExecutorFailure("tls_error", message);
  }
  const message = `${where} does not answer as PostgreSQL does. Check the host, the port, and the connection's driver.`;
  throw new ExecutorFailure("unreachable", message);
}
