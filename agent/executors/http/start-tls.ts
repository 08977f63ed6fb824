import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect, getCACertificates } from "node:tls";
import { unreachable } from "../shared/dial.ts";
import { errorCode, errorMessage, ExecutorFailure, jobEnded } from "../shared/failures.ts";

const CONNECTION_ERRORS = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT", "ECONNABORTED"]);
let trusted: string[] | null = null;

/** Encrypts an open connection; throws `tls_error` when the peer cannot prove who it is. */
export function startTls(
  socket: Duplex,
  options: { host: string; where: string; verifySsl: boolean; signal: AbortSignal },
): Promise<Duplex> {
  const { where, verifySsl, signal } = options;
  const host = options.host.replace(/^\[(.*)\]$/u, "$1");
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const secure = connect({
    socket,
    host,
    // RFC 6066 knows no literal addresses as server names; the certificate is then checked against `host`.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ca: trustedAuthorities(),
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
    fail(CONNECTION_ERRORS.has(errorCode(error)) ? unreachable(where, error) : tlsError(where, error));
  };
  const onClose = (): void => fail(tlsError(where, new Error("the peer closed the connection during the handshake")));
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

/** Bun's own list, NODE_EXTRA_CA_CERTS, and what the system trusts: a company's authority is usually there. */
function trustedAuthorities(): string[] {
  trusted ??= [...new Set([...getCACertificates("default"), ...getCACertificates("system")])];
  return trusted;
}

function tlsError(where: string, error: unknown): ExecutorFailure {
  const code = errorCode(error);
  const reason = `${errorMessage(error)}${code === "" ? "" : ` (${code})`}`;
  const remedy = /WRONG_VERSION|EPROTO|closed the connection/u.test(reason)
    ? "Check that this port speaks TLS, and whether the address should begin with http://"
    : "Install the issuer's certificate on the agent's host, or set verifySsl to false on the connection: then nothing proves who answers";
  return new ExecutorFailure("tls_error", `No secure connection to ${where}: ${reason}. ${remedy}.`, null, {
    cause: error,
  });
}
