import { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import { errorCode, errorMessage, ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { OneSocketAgent } from "./one-socket-agent.ts";
import { openSocket, type Route } from "./open-socket.ts";
import { readBody, type ReadBody, type ReadOptions } from "./read-body.ts";

export interface HttpRequest {
  method: string;
  /** A header with several values is sent once for each value. */
  headers: OutgoingHttpHeaders;
  body: Buffer | null;
}

export interface HttpResponse {
  status: number;
  statusText: string;
  headers: IncomingHttpHeaders;
  /** Reads the decompressed body, up to its limit. */
  read: (options?: ReadOptions) => Promise<ReadBody>;
  /** Ends the exchange without reading the rest of the body. */
  discard: () => void;
}

/**
 * Sends one request and waits for the head of its answer. The caller follows redirects, and checks each target again.
 * Nothing is sent before the stage `open` of the route's `onStage`, so before that the target cannot have acted.
 */
export async function exchange(route: Route, { method, headers, body }: HttpRequest): Promise<HttpResponse> {
  const { target, signal } = route;
  const { socket, forwarding } = await openSocket(route);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = request({
    agent: new OneSocketAgent(socket),
    method,
    path:
      forwarding === null ? `${target.pathname}${target.search}` : `${target.origin}${target.pathname}${target.search}`,
    setHost: false,
    headers: {
      host: target.host,
      ...headers,
      ...(typeof forwarding?.authorization === "string" ? { "proxy-authorization": forwarding.authorization } : {}),
      ...(body === null ? {} : { "content-length": body.length }),
    },
    signal,
  });
  const explain = (error: unknown): ExecutorFailure =>
    signal.aborted ? jobEnded(`It was waiting for the answer of ${target.host}.`) : brokenOff(target, error);
  sent.on("response", (response) => {
    // A discarded response may still report that it was cut off.
    response.on("error", () => undefined);
    resolve(response);
  });
  sent.on("error", (error) => reject(explain(error)));
  sent.on("close", () => reject(explain(new Error("the connection was closed"))));
  sent.end(body ?? undefined);
  const discard = (): void => {
    sent.destroy();
    socket.destroy();
  };
  const response = await promise.catch((error: unknown) => {
    discard();
    throw error;
  });
  return {
    status: response.statusCode ?? 0,
    statusText: response.statusMessage ?? "",
    headers: response.headers,
    read: (options) => readBody(response, { ...options, empty: method === "HEAD", signal }).finally(discard),
    discard,
  };
}

function brokenOff(target: URL, error: unknown): ExecutorFailure {
  if (errorCode(error).startsWith("HPE_")) {
    const message = `${target.host} answered, but not in HTTP: ${errorMessage(error)}. Check the port and the protocol.`;
    return new ExecutorFailure("invalid_response", message, null, { cause: error });
  }
  const message =
    `${target.host} accepted the connection but ended it before it answered: ${errorMessage(error)}. ` +
    "It is not known whether the server processed the request.";
  return new ExecutorFailure("connection_lost", message, null, { cause: error });
}
