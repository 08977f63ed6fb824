import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect, type TLSSocket } from "node:tls";
import { unreachable } from "./dial.ts";
import { errorCode, errorMessage, type ExecutorFailure, jobEnded } from "./failures.ts";
import { trustedAuthorities } from "./trusted-authorities.ts";

const CONNECTION_ERRORS = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT", "ECONNABORTED"]);

export interface TlsOptions {
  /** The name or address that the certificate is checked against. An IPv6 address may have brackets. */
  host: string;
  /** The user's name for the peer: `host:port`. */
  where: string;
  /** False encrypts without proof of the peer's identity. */
  verify: boolean;
  /** The only trusted authorities, in PEM. Default: those of the agent's host. */
  authorities?: string | undefined;
  /** The client certificate and its key, in PEM. */
  clientCertificate?: { cert: string; key: string } | undefined;
  alpnProtocols?: string[] | undefined;
  /** The peer's name in messages. */
  peer: "server" | "peer";
  signal: AbortSignal;
  /** Makes the failure of a TLS connection. `reason` is the runtime's, with its code. */
  failed: (reason: string, cause: unknown) => ExecutorFailure;
}

/** Encrypts an open connection. Throws the result of `failed`, `unreachable` or `job_ended`. */
export function startTls(socket: Duplex, options: TlsOptions): Promise<TLSSocket> {
  const { where, authorities, clientCertificate, alpnProtocols, signal } = options;
  const host = options.host.replace(/^\[(.*)\]$/u, "$1");
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const secure = connect({
    socket,
    host,
    // RFC 6066 allows no literal addresses as server names. The certificate is then checked against `host`.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ca: authorities ?? trustedAuthorities(),
    ...clientCertificate,
    rejectUnauthorized: options.verify,
    ...(alpnProtocols === undefined ? {} : { ALPNProtocols: alpnProtocols }),
  });
  // The caller adds its own error listener. An error before that must not end the agent.
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
  const failTls = (error: unknown): void => fail(options.failed(reasonOf(error), error));
  const onAbort = (): void => fail(jobEnded(`It was still connecting to ${where}.`));
  const onError = (error: unknown): void => {
    if (CONNECTION_ERRORS.has(errorCode(error))) fail(unreachable(where, error));
    else failTls(error);
  };
  const onClose = (): void => failTls(new Error(`the ${options.peer} closed the connection during the handshake`));
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

function reasonOf(error: unknown): string {
  const code = errorCode(error);
  return `${errorMessage(error)}${code === "" ? "" : ` (${code})`}`;
}
