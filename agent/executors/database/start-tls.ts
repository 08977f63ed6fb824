import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { ExecutorFailure } from "../shared/failures.ts";
import { startTls } from "../shared/start-tls.ts";

export interface TlsTarget {
  host: string;
  where: string;
  /** `verify` checks the certificate and the name in it, `require` only encrypts. */
  tls: "verify" | "require";
  signal: AbortSignal;
}

/** Encrypts a connection on which the server has agreed to that; throws `tls_error`, `unreachable` or `job_ended`. */
export function startDatabaseTls(socket: Duplex, { host, where, tls, signal }: TlsTarget): Promise<TLSSocket> {
  return startTls(socket, {
    host,
    where,
    verify: tls === "verify",
    peer: "server",
    signal,
    failed: (reason, cause) => tlsError(where, reason, cause),
  });
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

function tlsError(where: string, reason: string, cause: unknown): ExecutorFailure {
  const message = `No secure connection to ${where}: ${reason}. Install the issuer's certificate on the agent's host (or name it in NODE_EXTRA_CA_CERTS) and connect by a name that the certificate has, or set tls to require on the connection: then nothing proves who answers.`;
  return new ExecutorFailure("tls_error", message, null, { cause });
}
