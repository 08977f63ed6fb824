import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect } from "node:tls";
import { unreachable } from "../shared/dial.ts";
import { errorCode, errorMessage, ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { trustedAuthorities } from "../shared/trusted-authorities.ts";

/** What a connection says itself about the two ends of TLS, all in PEM. */
export interface TlsIdentity {
  /** The only authorities that are trusted; null: those of the agent's host. */
  authorities: string | null;
  clientCertificate: { cert: string; key: string } | null;
  /** The name in the peer's certificate, where it is not the host's. */
  serverName: string | null;
}

const WHEN_UNTRUSTED =
  "Install the issuer's certificate on the agent's host, or set verifySsl to false on the connection: then nothing proves who answers";
const CONNECTION_ERRORS = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT", "ECONNABORTED"]);

/** Encrypts an open connection; throws `tls_error` when the peer cannot prove who it is. */
export function startTls(
  socket: Duplex,
  options: {
    host: string;
    where: string;
    verifySsl: boolean;
    whenUntrusted?: string | undefined;
    identity?: TlsIdentity | undefined;
    signal: AbortSignal;
  },
): Promise<Duplex> {
  const { where, verifySsl, whenUntrusted = WHEN_UNTRUSTED, signal } = options;
  const host = (options.identity?.serverName ?? options.host).replace(/^\[(.*)\]$/u, "$1");
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const secure = connect({
    socket,
    host,
    // RFC 6066 knows no literal addresses as server names; the certificate is then checked against `host`.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ca: options.identity?.authorities ?? trustedAuthorities(),
    ...options.identity?.clientCertificate,
    rejectUnauthorized: verifySsl,
    ALPNProtocols: ["http/1.1"],
  });
  // Whoever takes the socket over listens for errors itself; one in between must not end the agent.
  secure.on("error", () => undefined);
  const settle = (): void => {
    signal.removeEventListener("abort", onAbort);
    secure.off("error", onError);
    secure.off("close", onClose);
  };
  const fail = (failure: ExecutorFailure): void => {
    settle();
    secure.destroy();
    socket.destroy();
    reject(failure);
  };
  const onAbort = (): void => fail(jobEnded(`It was still connecting to ${where}.`));
  const onError = (error: unknown): void => {
    fail(CONNECTION_ERRORS.has(errorCode(error)) ? unreachable(where, error) : tlsError(where, error, whenUntrusted));
  };
  const onClose = (): void =>
    fail(tlsError(where, new Error("the peer closed the connection during the handshake"), whenUntrusted));
  signal.addEventListener("abort", onAbort, { once: true });
  secure.once("error", onError);
  secure.once("close", onClose);
  secure.once("secureConnect", () => {
    settle();
    resolve(secure);
  });
  if (signal.aborted) onAbort();
  return promise;
}

function tlsError(where: string, error: unknown, whenUntrusted: string): ExecutorFailure {
  const code = errorCode(error);
  const reason = `${errorMessage(error)}${code === "" ? "" : ` (${code})`}`;
  const remedy = /WRONG_VERSION|EPROTO|closed the connection/u.test(reason)
    ? "Check that this port speaks TLS, and whether the address should begin with http://"
    : whenUntrusted;
  return new ExecutorFailure("tls_error", `No secure connection to ${where}: ${reason}. ${remedy}.`, null, {
    cause: error,
  });
}
