import { dial } from "../executors/shared/dial.ts";

const ANSWER_TIMEOUT_MS = 3_000;
/** 400 is how a port with TLS answers a request in plain. */
const ANSWER = /^HTTP\/1\.[01] (?!400)\d{3}/u;

/**
 * Whether a port answers plain http, judged by the first bytes of its answer to a request without a key. For a port whose
 * TLS handshake failed before a certificate came.
 */
export async function answersPlainHttp(url: URL): Promise<boolean> {
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const port = Number(url.port || "443");
  try {
    const socket = await dial({ host: url.hostname, port, timeoutMs: ANSWER_TIMEOUT_MS, signal });
    const { promise, resolve } = Promise.withResolvers<boolean>();
    socket.once("data", (bytes: Buffer) => resolve(ANSWER.test(bytes.toString("latin1"))));
    for (const end of ["error", "close"]) socket.once(end, () => resolve(false));
    signal.addEventListener("abort", () => resolve(false), { once: true });
    socket.write(`GET /healthz HTTP/1.1\r\nHost: ${url.host}\r\nConnection: close\r\n\r\n`);
    return await promise.finally(() => socket.destroy());
  } catch {
    return false;
  }
}
