import {
  type Configuration,
  createConfiguration,
  type PatchStrategy,
  type RequestContext,
  ResponseContext,
  SelfDecodingBody,
  ServerConfiguration,
  wrapHttpLibrary,
} from "@kubernetes/client-node";
import { CONNECTION_CONFIGS } from "../../../schema/contract/connection.ts";
import { formsOfSecrets } from "../../mask-forms.ts";
import type { ExecutorContext } from "../executor.ts";
import type { SocketStage } from "../http/open-socket.ts";
import { parsed } from "../shared/failures.ts";
import { createJsonApi } from "../shared/json-api.ts";
import { answerProblem, type Expected } from "./answer-problem.ts";
import { apiFailure, notKubernetes } from "./api-failure.ts";
import type { Cluster } from "./cluster.ts";
import { findCluster, type KubernetesDeps } from "./find-cluster.ts";

/** One Deployment has at most 1.5 MiB (etcd's limit for a request). Lists are read in small pages. */
const JSON_MAX_BYTES = 32 * 1_048_576;
const WHEN_UNTRUSTED =
  "Put the authority that signed the API server's certificate into the kubeconfig (certificate-authority-data), and check that the certificate names this server, or set tls-server-name";

/** The part of a request that the library does not know. */
export interface Call extends Expected {
  /** The subject in messages: "Deployment web in namespace shop". */
  about: string;
  /** Says what may have been done when no answer arrives, and what to do then; null for a request that only reads. */
  mayHave: string | null;
  /** Of a patch: the library declares every patch as a JSON patch. */
  contentType?: PatchStrategy;
  /** Called when a stage of the connection begins. */
  onStage?: (stage: SocketStage) => void;
}

/** What every action needs of its job. */
export interface KubernetesJob {
  readonly cluster: Cluster;
  /** The connection's namespace, for actions without one. */
  namespace: string;
  signal: AbortSignal;
  secrets: readonly string[];
  /**
   * Calls one of the library's typed APIs over the agent's sockets. `ask` may also read the answer: its `TypeError`
   * means fields of another type. Throws the errors of `createJsonApi` and `apiFailure`.
   */
  call<Api, T>(api: new (configuration: Configuration) => Api, call: Call, ask: (api: Api) => Promise<T>): Promise<T>;
  /** Reads the login again for later calls: tokens of files and plugins may expire during a long wait. */
  loginAgain(): Promise<void>;
}

/** Finds the job's cluster without sending anything. Throws the errors of `findCluster`. */
export async function beginKubernetesJob(context: ExecutorContext, deps: KubernetesDeps): Promise<KubernetesJob> {
  const { connection, signal, timeoutMs } = context;
  const secrets = formsOfSecrets(context.secrets ?? {});
  const config = parsed(CONNECTION_CONFIGS.kubernetes, connection.config, "invalid_config");
  const jsonApi = createJsonApi({ ...deps, peer: "The Kubernetes API", signal, timeoutMs, secrets });
  const wanted = { ...context, config, connectionId: connection.id };
  let cluster = await findCluster(wanted, deps);
  const send = async (request: RequestContext, call: Call): Promise<ResponseContext> => {
    const { authorities, verify, serverName, proxy, login } = cluster;
    const { mayHave, contentType = "application/json", onStage, take } = call;
    const json = request.getBody()?.toString();
    const answer = await jsonApi.call({
      method: request.getHttpMethod(),
      url: new URL(request.getUrl()),
      headers: { ...(json === undefined ? {} : { "content-type": contentType }), ...login.headers },
      json,
      mayHave,
      maxBytes: JSON_MAX_BYTES,
      take,
      route: {
        verifySsl: verify,
        whenUntrusted: WHEN_UNTRUSTED,
        identity: { authorities, serverName, clientCertificate: login.clientCertificate },
        // The kubeconfig's proxy-url replaces the environment's, as in kubectl.
        ...(proxy === null ? {} : { ownProxy: { url: proxy, setting: "proxy-url of the kubeconfig" } }),
        ...(onStage === undefined ? {} : { onStage }),
      },
    });
    const { status, members } = answer;
    if (status >= 300) throw apiFailure(call, cluster, answer, secrets);
    const problem = answerProblem(call, answer);
    if (problem !== null) throw notKubernetes(cluster, problem, mayHave);
    // API servers of different versions write null or nothing, and the library's models have no null.
    const body = JSON.stringify(members, (_name, value: unknown) => value ?? undefined);
    const type = { "content-type": take === undefined ? "application/json" : "text/plain" };
    return new ResponseContext(status, type, new SelfDecodingBody(Promise.resolve(Buffer.from(body))));
  };
  return {
    get cluster() {
      return cluster;
    },
    namespace: config.namespace,
    signal,
    secrets,
    call: async (Api, call, ask) => {
      const baseServer = new ServerConfiguration(cluster.server.href.replace(/\/$/u, ""), {});
      let answered = false;
      const httpApi = wrapHttpLibrary({
        send: async (request) => {
          const response = await send(request, call);
          answered = true;
          return response;
        },
      });
      try {
        return await ask(new Api(createConfiguration({ baseServer, httpApi })));
      } catch (error) {
        // The library does not validate its models.
        if (!answered || !(error instanceof TypeError)) throw error;
        throw notKubernetes(cluster, "its answer has fields of another kind", call.mayHave, error);
      }
    },
    loginAgain: async () => {
      cluster = { ...cluster, login: (await findCluster(wanted, deps)).login };
    },
  };
}
