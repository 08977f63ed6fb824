import type { Duplex } from "node:stream";
import { ExecutorFailure } from "../shared/failures.ts";
import { startTls } from "../shared/start-tls.ts";

/** A connection's own TLS settings for both ends, in PEM. */
export interface TlsIdentity {
  /** The only trusted authorities; null: those of the agent's host. */
  authorities: string | null;
  clientCertificate: { cert: string; key: string } | null;
  /** The name in the peer's certificate, if it differs from the host. */
  serverName: string | null;
}

const WHEN_UNTRUSTED =
  "Install the issuer's certificate on the agent's host, or set verifySsl to false on the connection: then the server's identity is not checked";

/** Encrypts a connection for HTTP/1.1. Throws `tls_error` when the peer's certificate is not valid. */
export function startHttpTls(
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
  const { host, where, verifySsl, whenUntrusted = WHEN_UNTRUSTED, identity, signal } = options;
  return startTls(socket, {
    host: identity?.serverName ?? host,
    where,
    verify: verifySsl,
    authorities: identity?.authorities ?? undefined,
    clientCertificate: identity?.clientCertificate ?? undefined,
    alpnProtocols: ["http/1.1"],
    peer: "peer",
    signal,
    failed: (reason, cause) => tlsError(where, reason, whenUntrusted, cause),
  });
}

function tlsError(where: string, reason: string, whenUntrusted: string, cause: unknown): ExecutorFailure {
  const remedy = /WRONG_VERSION|EPROTO|closed the connection/u.test(reason)
    ? "Check that this port speaks TLS, and whether the address should begin with http://"
    : whenUntrusted;
  return new ExecutorFailure("tls_error", `No secure connection to ${where}: ${reason}. ${remedy}.`, null, { cause });
}
