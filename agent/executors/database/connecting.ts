import type { Socket } from "node:net";
import type { DatabaseTarget } from "./driver.ts";
import { dial } from "../shared/dial.ts";
import { ExecutorFailure, jobEnded } from "../shared/failures.ts";

/** For the way to the server and the login together. */
const CONNECT_TIMEOUT_MS = 10_000;
const DEFAULT_PORTS = { postgres: 5_432, mysql: 3_306, sqlserver: 1_433, sqlite: 0 } as const;

export interface Endpoint {
  host: string;
  port: number;
  where: string;
}

/** Where the server listens. Refuses names that cannot stand in a login. */
export function endpointOf(target: Pick<DatabaseTarget, "config" | "login">): Endpoint {
  const { driver, host = "", port = DEFAULT_PORTS[driver], database } = target.config;
  // They are parts of the login's message, where a NUL begins the next setting.
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/u.test(`${database}${target.login?.username ?? ""}`)) {
    const message =
      "The name of the database or of its user has a control character. Correct the connection or its credential.";
    throw new ExecutorFailure("invalid_config", message);
  }
  return { host, port, where: `${host}:${port}` };
}

export function connectTimeoutMs(target: Pick<DatabaseTarget, "timeoutMs">): number {
  return Math.max(1, Math.min(CONNECT_TIMEOUT_MS, target.timeoutMs));
}

/** Opens the TCP connection; tells how long it took. */
export async function dialDatabase(
  endpoint: Endpoint,
  options: { timeoutMs: number; signal: AbortSignal; passed?: (stage: string, detail: string) => void },
): Promise<Socket> {
  const started = performance.now();
  const socket = await dial({ ...endpoint, timeoutMs: options.timeoutMs, signal: options.signal });
  // A server that went away without a word is noticed, too, while a statement runs.
  socket.setKeepAlive(true, 30_000);
  const took = Math.round(performance.now() - started);
  options.passed?.("TCP connection", `Connected to ${endpoint.where} in ${took} ms.`);
  return socket;
}

/** Bounds a part of connecting in which the peer may stay silent. `giveUp` closes what is open. */
export async function withinTime<T>(
  work: Promise<T>,
  limit: { where: string; timeoutMs: number; signal: AbortSignal; giveUp: () => void },
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const message = `${limit.where} accepted the connection, but was not ready within ${limit.timeoutMs / 1_000} s. Check that the database server listens there, and its load.`;
    reject(new ExecutorFailure("unreachable", message));
  }, limit.timeoutMs);
  const onAbort = (): void => reject(jobEnded(`It was still connecting to ${limit.where}.`));
  limit.signal.addEventListener("abort", onAbort, { once: true });
  if (limit.signal.aborted) onAbort();
  // When the time is over, nobody waits for this any more.
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
