import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { Connection } from "tedious";
import { trustedAuthorities } from "../../shared/trusted-authorities.ts";
import { endpointOf } from "../endpoint.ts";
import { connectTimeoutMs, openTcp } from "../../shared/tcp-session.ts";
import type { DatabaseTarget } from "../driver.ts";
import { MESSAGE_MAX_BYTES } from "../frame-guard.ts";
import { describeTls } from "../../shared/tcp-session.ts";
import { SERVER_LIMIT_EXTRA_MS } from "../stopping.ts";
import { loginFailure, type ServerError } from "./failures.ts";
import { routedEndpoint } from "./routing.ts";

/** Shorter than the wait for a cancelled statement. Then the connection is closed, which also ends the statement. */
const CANCEL_TIMEOUT_MS = 3_500;
/**
 * The server cuts values of (max) types at this size. A value of this size does not fit into an output, so no cut value
 * is ever shown: its row is left out, and the result has `truncated`.
 */
const TEXT_SIZE_BYTES = 1_024 * 1_024;
const CLOSE_WAIT_MS = 1_000;

export interface OpenSqlServer {
  connection: Connection;
  /** Called after each row: bytes are counted between two calls. */
  rowRead(): void;
  /** Whether the connection was closed because a row was too large. */
  tooLarge(): boolean;
  close(): Promise<void>;
}

/** Opens a session on SQL Server: TCP, TLS inside TDS, login. */
export async function openSqlServer(
  target: DatabaseTarget,
  passed?: (stage: string, detail: string) => void,
): Promise<OpenSqlServer> {
  const endpoint = endpointOf(target);
  const { username, password } = target.login ?? { username: "", password: "" };
  const { database, tls } = target.config;
  const guard = new RowGuard();
  let dialled = 0;
  /** tedious passes the host that a server routes to, although its types do not say so. */
  const connector = async (given?: { host: string; port: number }): Promise<Socket> => {
    const at = dialled === 0 || given === undefined ? endpoint : routedEndpoint(endpoint, given);
    const timeoutMs = connectTimeoutMs(target);
    const stages = dialled === 0 && passed !== undefined ? { passed } : {};
    dialled += 1;
    const socket = await openTcp(at, { timeoutMs, signal: target.signal, ...stages });
    guard.watch(socket);
    return socket;
  };
  const connection = new Connection({
    server: endpoint.host.replace(/^\[(.*)\]$/u, "$1"),
    authentication: { type: "default", options: { userName: username, password } },
    options: {
      appName: "bellhop-agent",
      cancelTimeout: CANCEL_TIMEOUT_MS,
      connectTimeout: Math.ceil(connectTimeoutMs(target)),
      connector,
      cryptoCredentialsDetails: { ca: trustedAuthorities() },
      database,
      encrypt: tls !== "off",
      maxRetriesOnTransientErrors: 0,
      port: endpoint.port,
      requestTimeout: Math.ceil(target.timeoutMs) + SERVER_LIMIT_EXTRA_MS,
      textsize: TEXT_SIZE_BYTES,
      trustServerCertificate: tls !== "verify",
    },
  });
  // The pending call gets the error as well. Without a listener it would end the agent.
  connection.on("error", () => undefined);
  connection.on("secure", (secure) => {
    if (secure instanceof TLSSocket && tls !== "off") passed?.("TLS", describeTls(secure, tls));
  });
  const said: ServerError[] = [];
  const onErrorMessage = ({ number, message }: ServerError): void => void said.push({ number, message });
  connection.on("errorMessage", onErrorMessage);
  try {
    await connected(connection, target.signal);
  } catch (error) {
    connection.close();
    throw loginFailure(error, { ...target, where: endpoint.where, username, database, said });
  }
  connection.off("errorMessage", onErrorMessage);
  passed?.("Authentication", `Logged in to ${database} as ${username}.`);
  return {
    connection,
    rowRead: () => guard.reset(),
    tooLarge: () => guard.tooLarge,
    close: () => closed(connection),
  };
}

async function connected(connection: Connection, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = (): void => connection.close();
  signal.addEventListener("abort", onAbort, { once: true });
  connection.connect((error) => (error === undefined || error === null ? resolve() : reject(error)));
  if (signal.aborted) onAbort();
  try {
    await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function closed(connection: Connection): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  connection.once("end", () => resolve());
  connection.close();
  await Promise.race([promise, new Promise((done) => setTimeout(done, CLOSE_WAIT_MS).unref())]);
}

/** Counts the bytes between two rows, because tedious would hold a row of any size. */
class RowGuard {
  tooLarge = false;
  #bytes = 0;

  watch(socket: Socket): void {
    socket.on("data", (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#bytes <= MESSAGE_MAX_BYTES || this.tooLarge) return;
      this.tooLarge = true;
      socket.destroy(new Error("a row was too large"));
    });
  }

  reset(): void {
    this.#bytes = 0;
  }
}
