import type { RequestContext } from "@kubernetes/client-node";
import { systemLookup } from "../../network-guard.ts";
import { exchange, type HttpResponse } from "../http/exchange.ts";
import type { SocketStage } from "../http/open-socket.ts";
import { keepingPlainHere, type ProxyEnvironment } from "../http/proxy.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import type { Call } from "./call.ts";
import type { Cluster } from "./cluster.ts";

const WHEN_UNTRUSTED =
  "Put the authority that signed the API server's certificate into the kubeconfig (certificate-authority-data), and see that the certificate names this server, or set tls-server-name";

interface Surroundings {
  where: string;
  environment: ProxyEnvironment;
  answerTimeoutMs: number;
  signal: AbortSignal;
}

/** Sends one request of the library and waits for the head of its answer; the caller discards the body. */
export async function sendOnce(
  { server, authorities, verify, serverName, proxyUrl, login }: Cluster,
  request: RequestContext,
  { mayHave, contentType, onStage }: Call,
  { where, environment, answerTimeoutMs, signal }: Surroundings,
): Promise<HttpResponse> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), answerTimeoutMs);
  const reached: { stage: SocketStage } = { stage: "lookup" };
  const body = request.getBody();
  const route = {
    target: new URL(request.getUrl()),
    signal: AbortSignal.any([signal, limit.signal]),
    verifySsl: verify,
    whenUntrusted: WHEN_UNTRUSTED,
    identity: { authorities, serverName, clientCertificate: login.clientCertificate },
    allowPrivateNetwork: true,
    lookup: systemLookup,
    // The kubeconfig's proxy-url replaces the environment's, as in kubectl.
    environment:
      proxyUrl === null ? keepingPlainHere(server, environment) : { https_proxy: proxyUrl, http_proxy: proxyUrl },
    onStage: (stage: SocketStage): void => {
      reached.stage = stage;
      onStage?.(stage);
    },
  };
  try {
    return await exchange(route, {
      method: request.getHttpMethod(),
      headers: {
        accept: "application/json",
        "user-agent": "bellhop-agent",
        ...login.headers,
        ...(body === undefined ? {} : { "content-type": contentType ?? "application/json" }),
      },
      repeated: login.groups.length === 0 ? {} : { "impersonate-group": login.groups },
      body: body === undefined ? null : Buffer.from(String(body)),
    });
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    const consequence = mayHave === null ? "" : reached.stage === "open" ? ` ${mayHave}` : " Nothing was sent.";
    const late = error.code === "job_ended" && !signal.aborted;
    const [code, message] = late
      ? tooSlow(where, reached.stage, `within ${answerTimeoutMs / 1_000} s`)
      : [error.code, error.message];
    throw new ExecutorFailure(code, `${message}${consequence}`, null, { cause: error });
  } finally {
    // From here on the body is read, whose limits are its reader's.
    clearTimeout(timer);
  }
}

/** Code and message of a request that did not end in time, by its last stage. */
function tooSlow(where: string, stage: SocketStage, within: string): [string, string] {
  switch (stage) {
    case "lookup":
      return [
        "unreachable",
        `The name in ${where} was not resolved ${within}. Check the DNS that the agent's host uses.`,
      ];
    case "dial":
      return [
        "unreachable",
        `${where} did not accept a connection ${within}. Check the host, the port, and the firewalls between the agent and it.`,
      ];
    case "proxy":
      return [
        "unreachable",
        `The proxy gave no way to ${where} ${within}. Check the kubeconfig's proxy-url, or HTTPS_PROXY and NO_PROXY of the agent.`,
      ];
    case "tls":
      return [
        "tls_error",
        `${where} accepted the connection, but no secure connection was made ${within}. Check that an API server listens there.`,
      ];
    case "open":
      return ["no_answer", `The API at ${where} did not answer ${within}.`];
  }
}
