import { connect, type Socket } from "node:net";
import { errorCode, errorMessage, ExecutorFailure, jobEnded } from "./failures.ts";

export interface DialTarget {
  /** A name or an address. An IPv6 address may have brackets. */
  host: string;
  port: number;
  /** The server's name in messages, if not `host:port`. */
  where?: string;
  timeoutMs: number;
  signal: AbortSignal;
}

/** Opens a TCP connection. Throws `unreachable`, with the cause and what to check, or `job_ended`. */
export function dial(target: DialTarget): Promise<Socket> {
  const { host, port, timeoutMs, signal, where = `${host}:${port}` } = target;
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host: host.replace(/^\[(.*)\]$/u, "$1"), port, noDelay: true });
  // The caller adds its own error listener. An error before that must not end the agent.
  socket.on("error", () => undefined);
  const fail = (failure: ExecutorFailure): void => {
    settle();
    socket.destroy();
    reject(failure);
  };
  const onAbort = (): void => fail(jobEnded(`It was still connecting to ${where}.`));
  const onError = (error: unknown): void => fail(unreachable(where, error));
  const timer = setTimeout(() => onError({ code: "ETIMEDOUT" }), timeoutMs);
  const settle = (): void => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    socket.off("error", onError);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  socket.once("error", onError);
  socket.once("connect", () => {
    settle();
    resolve(socket);
  });
  if (signal.aborted) onAbort();
  return promise;
}

/** Says what an operator should check after a network error. */
export function unreachable(where: string, error: unknown): ExecutorFailure {
  return new ExecutorFailure("unreachable", explain(where, error), null, { cause: error });
}

function explain(where: string, error: unknown): string {
  const check = "Check the host, the port, and the firewalls between the agent and it.";
  switch (errorCode(error)) {
    case "ECONNREFUSED":
      return `${where} refused the connection: nothing listens there, or a firewall rejects it. Check the host, the port and the service.`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EAI_NODATA":
    case "ENODATA":
    case "ESERVFAIL":
      return `The name in ${where} does not resolve on the agent's host. Check the name, and the DNS that this host uses.`;
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return `There is no route from the agent's host to ${where}. ${check}`;
    case "ETIMEDOUT":
      return `${where} did not accept a connection in time. ${check}`;
    default:
      return `${where} could not be reached: ${errorMessage(error)}. ${check}`;
  }
}
