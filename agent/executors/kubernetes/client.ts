import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import { systemLookup } from "../../network-guard.ts";
import { exchange, type HttpRequest, type HttpResponse } from "../http/exchange.ts";
import type { Route, SocketStage } from "../http/open-socket.ts";
import { keepingPlainHere } from "../http/proxy.ts";
import { ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { rateLimited } from "../shared/json-api.ts";
import { retryAfterMs } from "../../../schema/contract/retry-after.ts";
import { retryPauseMs } from "../shared/retry-pause.ts";
import { apiFailure } from "./api-failure.ts";
import type { Cluster } from "./cluster.ts";
import type { KubernetesDeps } from "./deps.ts";
import { pause } from "./pause.ts";
import { readJson, readStatus, type Reading } from "./read-answer.ts";

const ANSWER_TIMEOUT_MS = 30_000;
/** What must be left of a job's time after waiting as the API asks, for the request itself. */
const REQUEST_ROOM_MS = 2_000;
const WHEN_UNTRUSTED =
  "Put the authority that signed the API server's certificate into the kubeconfig (certificate-authority-data), and see that the certificate names this server, or set tls-server-name";

export interface ApiRequest {
  method: "GET" | "PATCH" | "DELETE" | "POST";
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: { contentType: string; value: JsonValue };
  /** What this is about, in messages: "Deployment web in namespace shop". */
  about: string;
  /** Says what may be done already when the answer does not come, and what to do then; null for what only reads. */
  mayHave: string | null;
  /** Told how far the connection comes, also when it fails there. */
  onStage?: (stage: SocketStage) => void;
}

export interface ClusterClient {
  readonly cluster: Cluster;
  /** host:port, for messages. */
  where: string;
  /** An answer of the 200s, as JSON. Throws what `apiFailure` says, and what `open` throws. */
  json(request: ApiRequest): Promise<{ status: number; value: JsonObject }>;
  /**
   * An answer of the 200s, its body unread; the caller discards it. A 429 was not carried out: it is sent again after
   * the time that the API names, as long as that fits into the job's, eight times at most. Throws `unreachable`, `tls_error`,
   * `connection_lost`, `no_answer`, `rate_limited`, `job_ended` and what `apiFailure` says.
   */
  open(request: ApiRequest): Promise<HttpResponse>;
  /** Reads the login anew, for what is asked from now on: tokens of files and plugins end before a long wait does. */
  loginAgain(): Promise<void>;
}

export interface ClientOptions {
  findCluster: () => Promise<Cluster>;
  signal: AbortSignal;
  /** The job's time, counted from here. */
  timeoutMs: number;
  secrets: readonly string[];
}

/**
 * A client of one cluster's API: what the actions need of it, with the agent's proxies. It reaches private addresses,
 * too: ALLOW_PRIVATE_NETWORK is a rule of the HTTP executor alone (specification, "HTTP executor rule").
 */
export async function createClient(deps: KubernetesDeps, options: ClientOptions): Promise<ClusterClient> {
  const startedAt = performance.now();
  let cluster = await options.findCluster();
  const { server } = cluster;
  const where = `${server.hostname}:${server.port === "" ? (server.protocol === "https:" ? 443 : 80) : server.port}`;
  const answer = async (request: ApiRequest): Promise<{ response: HttpResponse; reading: Reading }> => {
    for (let refusals = 1; ; refusals += 1) {
      const askedAt = performance.now();
      const response = await openOnce(cluster, where, request, { deps, options });
      const { signal } = options;
      const limitMs = leftOf(deps.answerTimeoutMs, askedAt);
      const reading = { where, signal, mayHave: request.mayHave, limitMs };
      if (response.status >= 200 && response.status < 300) return { response, reading };
      const status = await readStatus(response, reading);
      const wantedMs = retryAfterMs(response.headers["retry-after"], Date.now());
      if (response.status !== 429) throw apiFailure({ ...request, where, cluster, status, secrets: options.secrets });
      const leftMs = options.timeoutMs - (performance.now() - startedAt);
      const pauseMs = retryPauseMs(wantedMs, refusals);
      if (pauseMs + REQUEST_ROOM_MS > leftMs) {
        throw rateLimited(`The API at ${where}`, wantedMs, { statusCode: 429 }, refusals);
      }
      await pause(pauseMs, options.signal, () =>
        jobEnded(`It was waiting for the rate limit of ${where}; nothing was done.`),
      );
    }
  };
  const json = async (request: ApiRequest): Promise<{ status: number; value: JsonObject }> => {
    const { response, reading } = await answer(request);
    return { status: response.status, value: await readJson(response, reading) };
  };
  return {
    get cluster() {
      return cluster;
    },
    where,
    json,
    open: async (request) => (await answer(request)).response,
    loginAgain: async () => {
      cluster = { ...cluster, login: (await options.findCluster()).login };
    },
  };
}

/** Where answers have a limit of their own, it is one for head and body. */
function leftOf(limitMs: number | undefined, sinceMs: number): number | undefined {
  return limitMs === undefined ? undefined : Math.max(0, limitMs - (performance.now() - sinceMs));
}

async function openOnce(
  cluster: Cluster,
  where: string,
  request: ApiRequest,
  { deps, options }: { deps: KubernetesDeps; options: ClientOptions },
): Promise<HttpResponse> {
  const { signal } = options;
  const { answerTimeoutMs = ANSWER_TIMEOUT_MS } = deps;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), answerTimeoutMs);
  const reached: { stage: SocketStage } = { stage: "lookup" };
  const onStage = (stage: SocketStage): void => {
    reached.stage = stage;
    request.onStage?.(stage);
  };
  const route = routeTo(cluster, request, { deps, signal: AbortSignal.any([signal, limit.signal]) });
  try {
    return await exchange({ ...route, onStage }, outgoing(cluster, request));
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    const consequence =
      request.mayHave === null ? "" : reached.stage === "open" ? ` ${request.mayHave}` : " Nothing was sent.";
    const explained =
      error.code === "job_ended" && !signal.aborted ? tooSlow(where, answerTimeoutMs, reached.stage) : error;
    throw new ExecutorFailure(explained.code, `${explained.message}${consequence}`, null, { cause: error });
  } finally {
    // From here on the body is read, whose limits are its reader's.
    clearTimeout(timer);
  }
}

/** What did not end in time, by where it hung. */
function tooSlow(where: string, limitMs: number, stage: SocketStage): ExecutorFailure {
  const { code, message } = hung(where, stage, `within ${limitMs / 1_000} s`);
  return new ExecutorFailure(code, message);
}

function hung(where: string, stage: SocketStage, within: string): { code: string; message: string } {
  switch (stage) {
    case "lookup":
      return {
        code: "unreachable",
        message: `The name in ${where} was not resolved ${within}. Check the DNS that the agent's host uses.`,
      };
    case "dial":
      return {
        code: "unreachable",
        message: `${where} did not accept a connection ${within}. Check the host, the port, and the firewalls between the agent and it.`,
      };
    case "proxy":
      return {
        code: "unreachable",
        message: `The proxy gave no way to ${where} ${within}. Check the kubeconfig's proxy-url, or HTTPS_PROXY and NO_PROXY of the agent.`,
      };
    case "tls":
      return {
        code: "tls_error",
        message: `${where} accepted the connection, but no secure connection was made ${within}. Check that an API server listens there.`,
      };
    case "open":
      return { code: "no_answer", message: `The API at ${where} did not answer ${within}.` };
  }
}

function routeTo(
  cluster: Cluster,
  { path, query }: ApiRequest,
  { deps, signal }: { deps: KubernetesDeps; signal: AbortSignal },
): Route {
  const target = new URL(cluster.server);
  // A server may lie below a path, as behind Rancher.
  target.pathname = `${cluster.server.pathname.replace(/\/$/u, "")}${path}`;
  target.search = new URLSearchParams(query).toString();
  const { authorities, serverName, login, proxyUrl } = cluster;
  return {
    target,
    signal,
    verifySsl: cluster.verify,
    whenUntrusted: WHEN_UNTRUSTED,
    identity: { authorities, serverName, clientCertificate: login.clientCertificate },
    allowPrivateNetwork: true,
    lookup: systemLookup,
    // The kubeconfig's proxy-url stands in the place of the environment's, as in kubectl.
    environment:
      proxyUrl === null ? keepingPlainHere(target, deps.environment) : { https_proxy: proxyUrl, http_proxy: proxyUrl },
  };
}

function outgoing({ login }: Cluster, { method, body }: ApiRequest): HttpRequest {
  const { authorization, impersonation } = login;
  return {
    method,
    headers: {
      accept: "application/json",
      "user-agent": "bellhop-agent",
      ...(authorization === null ? {} : { authorization }),
      ...impersonation?.headers,
      ...(body === undefined ? {} : { "content-type": body.contentType }),
    },
    repeated: impersonation === null ? {} : { "impersonate-group": impersonation.groups },
    body: body === undefined ? null : Buffer.from(JSON.stringify(body.value)),
  };
}
