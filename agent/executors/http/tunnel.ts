import { request } from "node:http";
import type { Duplex } from "node:stream";
import { errorMessage, ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { OneSocketAgent } from "./one-socket-agent.ts";

const WHOLE_SETTING = "HTTPS_PROXY and NO_PROXY of the agent";

interface Wanted {
  where: string;
  authorization: string | null;
  /** What names the proxy, for errors; without it the agent's environment does. */
  setting: string | undefined;
  signal: AbortSignal;
}

/** Asks a proxy for a tunnel to `where` (RFC 9110, 9.3.6: CONNECT); the socket then leads to the target. */
export function tunnel(proxySocket: Duplex, { where, authorization, setting, signal }: Wanted): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const fail = (failure: ExecutorFailure): void => {
    proxySocket.destroy();
    reject(failure);
  };
  const connect = request({
    agent: new OneSocketAgent(proxySocket),
    method: "CONNECT",
    path: where,
    setHost: false,
    headers: {
      host: where,
      connection: "keep-alive",
      ...(authorization === null ? {} : { "proxy-authorization": authorization }),
    },
    signal,
  });
  connect.on("connect", (response, socket, head) => {
    if (response.statusCode !== 200) return fail(refused(where, response.statusCode, setting));
    if (head.length > 0) socket.unshift(head);
    resolve(socket);
  });
  connect.on("response", (response) => fail(refused(where, response.statusCode, setting)));
  connect.on("error", (error) => {
    if (signal.aborted) return fail(jobEnded(`It was still asking the proxy to connect to ${where}.`));
    const message = `The proxy did not connect to ${where}: ${errorMessage(error)}. Check ${setting ?? WHOLE_SETTING}.`;
    fail(new ExecutorFailure("unreachable", message, null, { cause: error }));
  });
  connect.end();
  return promise;
}

function refused(where: string, status: number | undefined, setting: string | undefined): ExecutorFailure {
  const remedy =
    // Some proxies answer 401 to a wrong login.
    status === 407 || status === 401
      ? `It requires a login: write a valid login into ${setting ?? "HTTPS_PROXY of the agent"}, as http://user:password@host:port`
      : `Check its rules, and ${setting ?? WHOLE_SETTING}`;
  return new ExecutorFailure(
    "unreachable",
    `The proxy refused to connect to ${where} with status ${status}. ${remedy}.`,
  );
}
