import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect, type TLSSocket } from "node:tls";
import { unreachable } from "../shared/dial.ts";
import { errorCode, errorMessage, ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { trustedAuthorities } from "../shared/trusted-authorities.ts";

const CONNECTION_ERRORS = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT", "ECONNABORTED"]);

export interface TlsTarget {
  host: string;
  where: string;
  /** `verify` checks the certificate and the name in it, `require` only encrypts. */
  tls: "verify" | "require";
  signal: AbortSignal;
}

/** Encrypts a connection on which the server has agreed to that; throws `tls_error`, `unreachable` or `job_ended`. */
export function startTls(socket: Duplex, target: TlsTarget): Promise<TLSSocket> {
  const { where, signal } = target;
  const host = target.host.replace(/^\[(.*)\]$/u, "$1");
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const secure = connect({
    socket,
    host,
    // RFC 6066 knows no literal addresses as server names; the certificate is then checked against `host`.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ca: trustedAuthorities(),
    rejectUnauthorized: target.tls === "verify",
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
    fail(CONNECTION_ERRORS.has(errorCode(error)) ? unreachable(where, error) : tlsError(where, error));
  };
  const onClose = (): void => fail(tlsError(where, new Error("the server closed the connection during the handshake")));
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

/** What the connection test says of an encrypted connection. */
export function describeTls(secure: TLSSocket, tls: TlsTarget["tls"]): string {
  const checked =
    tls === "verify" ? "its certificate and name were checked" : "nothing proves who answers: tls is “require”";
  return `Encrypted (${secure.getProtocol() ?? "TLS"}); ${checked}.`;
}

/** The server does not encrypt; going on without would be what an attacker in between wants. */
export function noTls(where: string, remedy: string): ExecutorFailure {
  const message = `${where} offers no TLS, and the connection asks for it. ${remedy}, or set tls to off on the connection: then everything, the login too, can be read on the way.`;
  return new ExecutorFailure("tls_error", message);
}

function tlsError(where: string, error: unknown): ExecutorFailure {
  const code = errorCode(error);
  const reason = `${errorMessage(error)}${code === "" ? "" : ` (${code})`}`;
  const message = `No secure connection to ${where}: ${reason}. Install the issuer's certificate on the agent's host (or name it in NODE_EXTRA_CA_CERTS) and connect by a name that the certificate has, or set tls to require on the connection: then nothing proves who answers.`;
  return new ExecutorFailure("tls_error", message, null, { cause: error });
}
