import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { dial } from "./dial.ts";
import { ExecutorFailure, jobEnded } from "./failures.ts";
import { startTls } from "./start-tls.ts";

/** The connection to a server with its own protocol over TCP, encrypted or not, and the checks of a connection test. */

/** The limit for connecting and the login together. */
const CONNECT_TIMEOUT_MS = 10_000;

export interface Endpoint {
  host: string;
  port: number;
  where: string;
}

export function connectTimeoutMs({ timeoutMs }: { timeoutMs: number }): number {
  return Math.max(1, Math.min(CONNECT_TIMEOUT_MS, timeoutMs));
}

/** Opens the TCP connection, and reports to `passed` how long it took. */
export async function openTcp(
  endpoint: Endpoint,
  options: { timeoutMs: number; signal: AbortSignal; passed?: (stage: string, detail: string) => void },
): Promise<Socket> {
  const started = performance.now();
  const socket = await dial({ ...endpoint, timeoutMs: options.timeoutMs, signal: options.signal });
  // Detects a server that disappears during a long operation.
  socket.setKeepAlive(true, 30_000);
  const took = Math.round(performance.now() - started);
  options.passed?.("TCP connection", `Connected to ${endpoint.where} in ${took} ms.`);
  return socket;
}

/** A part of connecting in which the peer may stay silent. */
export interface ConnectLimit {
  where: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** Closes the connection. */
  giveUp: () => void;
  /** What a silent peer means, where that is known. */
  silent?: ExecutorFailure;
}

export async function withinTime<T>(work: Promise<T>, limit: ConnectLimit): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const message = `${limit.where} accepted the connection, but was not ready within ${limit.timeoutMs / 1_000} s. Check that the server listens there, and its load.`;
    reject(limit.silent ?? new ExecutorFailure("unreachable", message));
  }, limit.timeoutMs);
  const onAbort = (): void => reject(jobEnded(`It was still connecting to ${limit.where}.`));
  limit.signal.addEventListener("abort", onAbort, { once: true });
  if (limit.signal.aborted) onAbort();
  // A rejection after the time-out is not awaited.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, promise]);
  } catch (error) {
    limit.giveUp();
    throw error;
  } finally {
    clearTimeout(timer);
    limit.signal.removeEventListener("abort", onAbort);
  }
}

export interface TlsTarget {
  host: string;
  where: string;
  /** `verify` checks the certificate and its name; `require` only encrypts. */
  tls: "verify" | "require";
  signal: AbortSignal;
}

/** Encrypts a connection after the server has agreed. Throws `tls_error`, `unreachable` or `job_ended`. */
export function encryptTcp(socket: Duplex, { host, where, tls, signal }: TlsTarget): Promise<TLSSocket> {
  return startTls(socket, {
    host,
    where,
    verify: tls === "verify",
    peer: "server",
    signal,
    failed: (reason, cause) => tlsError(where, reason, cause),
  });
}

/** The connection test's sentence about an encrypted connection. */
export function describeTls(secure: TLSSocket, tls: TlsTarget["tls"]): string {
  const checked =
    tls === "verify"
      ? "its certificate and name were checked"
      : "the server's identity is not checked: tls is “require”";
  return `Encrypted (${secure.getProtocol() ?? "TLS"}); ${checked}.`;
}

/** The server offers no TLS. An attacker between agent and server could cause that, so the connection is not used. */
export function noTls(where: string, remedy: string): ExecutorFailure {
  const message = `${where} offers no TLS, but the connection requires it. ${remedy}, or set tls to off on the connection: then others in the network can read everything, including the login.`;
  return new ExecutorFailure("tls_error", message);
}

/** A server without TLS waits for more bytes when the client starts with TLS. */
export function silentAtTls(where: string): ExecutorFailure {
  const message = `${where} did not answer as TLS. Where the server has no TLS, set tls to off on the connection: then others in the network can read everything, including the login. Otherwise check the port.`;
  return new ExecutorFailure("tls_error", message);
}

function tlsError(where: string, reason: string, cause: unknown): ExecutorFailure {
  const message = `No secure connection to ${where}: ${reason}. Install the issuer's certificate on the agent's host (or name it in NODE_EXTRA_CA_CERTS) and connect by a name that the certificate has, or set tls to require on the connection: then the server's identity is not checked.`;
  return new ExecutorFailure("tls_error", message, null, { cause });
}
