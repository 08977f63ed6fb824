import {
  type Configuration,
  createConfiguration,
  type HttpInfo,
  type RequestContext,
  ResponseContext,
  SelfDecodingBody,
  ServerConfiguration,
  wrapHttpLibrary,
} from "@kubernetes/client-node";
import { retryAfterMs } from "../../../schema/contract/retry-after.ts";
import { jobEnded } from "../shared/failures.ts";
import { rateLimited } from "../shared/json-api.ts";
import { pause } from "../shared/pause.ts";
import { retryPauseMs } from "../shared/retry-pause.ts";
import { apiFailure } from "./api-failure.ts";
import type { Call } from "./call.ts";
import { type Cluster, placeOf } from "./cluster.ts";
import type { KubernetesDeps } from "./deps.ts";
import { eachChunk, notKubernetes, readJson, readStatus } from "./read-answer.ts";
import { sendOnce } from "./send-once.ts";

const ANSWER_TIMEOUT_MS = 30_000;
/** What must be left of a job's time after waiting as the API asks, for the request itself. */
const REQUEST_ROOM_MS = 2_000;

export interface ClusterClient {
  readonly cluster: Cluster;
  /** host:port, for messages. */
  where: string;
  /**
   * Asks one of the library's typed APIs, over the agent's sockets. A 429 was not carried out: the request is sent again
   * after the time that the API names, as long as that fits into the job's, eight times at most. Throws `unreachable`,
   * `tls_error`, `connection_lost`, `no_answer`, `rate_limited`, `invalid_response`, `job_ended` and those of `apiFailure`.
   */
  call<Api, T>(
    api: new (configuration: Configuration) => Api,
    call: Call,
    ask: (api: Api) => Promise<HttpInfo<T>>,
  ): Promise<HttpInfo<T>>;
  /** Reads the login again, for later calls: tokens of files and plugins end before a long wait does. */
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
 * A client of one cluster's API, with the agent's proxies. It reaches private addresses, too: ALLOW_PRIVATE_NETWORK is a
 * rule of the HTTP executor alone (specification, "HTTP executor rule").
 */
export async function createClient(deps: KubernetesDeps, options: ClientOptions): Promise<ClusterClient> {
  const startedAt = performance.now();
  const { signal, secrets } = options;
  const { environment, answerTimeoutMs = ANSWER_TIMEOUT_MS } = deps;
  let cluster = await options.findCluster();
  const where = placeOf(cluster.server);
  const send = async (request: RequestContext, call: Call): Promise<ResponseContext> => {
    for (let refusals = 1; ; refusals += 1) {
      const askedAt = performance.now();
      const response = await sendOnce(cluster, request, call, { where, environment, answerTimeoutMs, signal });
      const limitMs = deps.answerTimeoutMs && Math.max(0, deps.answerTimeoutMs - (performance.now() - askedAt));
      const reading = { where, signal, mayHave: call.mayHave, limitMs };
      if (response.status >= 200 && response.status < 300) {
        if (call.take === undefined)
          return responseOf(response.status, "application/json", await readJson(response, reading));
        await eachChunk(response, { ...reading, limitMs: undefined }, call.take(response.status));
        return responseOf(response.status, "text/plain", Buffer.alloc(0));
      }
      const status = await readStatus(response, reading);
      if (response.status !== 429) throw apiFailure({ ...call, where, cluster, status, secrets });
      const wantedMs = retryAfterMs(response.headers["retry-after"], Date.now());
      const pauseMs = retryPauseMs(wantedMs, refusals);
      if (pauseMs + REQUEST_ROOM_MS > options.timeoutMs - (performance.now() - startedAt)) {
        throw rateLimited(`The API at ${where}`, wantedMs, { statusCode: 429 }, refusals);
      }
      await pause(pauseMs, signal, () => jobEnded(`It was waiting for the rate limit of ${where}; nothing was done.`));
    }
  };
  return {
    get cluster() {
      return cluster;
    },
    where,
    call: async (Api, call, ask) => {
      const baseServer = new ServerConfiguration(cluster.server.href.replace(/\/$/u, ""), {});
      let answered = false;
      const sendFor = async (request: RequestContext): Promise<ResponseContext> => {
        const response = await send(request, call);
        answered = true;
        return response;
      };
      const httpApi = wrapHttpLibrary({ send: sendFor });
      try {
        return await ask(new Api(createConfiguration({ baseServer, httpApi })));
      } catch (error) {
        // The library reads its models without a check: a field of another kind is a TypeError.
        if (!answered || !(error instanceof TypeError)) throw error;
        throw notKubernetes(where, "its answer has fields of another kind", call.mayHave, error);
      }
    },
    loginAgain: async () => {
      cluster = { ...cluster, login: (await options.findCluster()).login };
    },
  };
}

function responseOf(status: number, type: string, body: Buffer): ResponseContext {
  return new ResponseContext(status, { "content-type": type }, new SelfDecodingBody(Promise.resolve(body)));
}
