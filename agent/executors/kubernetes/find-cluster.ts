import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { CONNECTION_CONFIGS, type ConnectionConfig } from "../../../schema/contract/connection.ts";
import type { Secrets } from "../../../schema/contract/credential.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { Programs } from "../../programs/program.ts";
import { readSmallFile } from "../../programs/read-small-file.ts";
import type { TargetPlace } from "../executor.ts";
import { ExecutorFailure, parsed } from "../shared/failures.ts";
import { type Cluster, clusterOf, clusterPlace, DELIVER_AGAIN } from "./cluster.ts";
import { loadKubeconfig, readCredentialFile } from "./kubeconfig.ts";

/** What the executor takes from its surroundings. */
export interface KubernetesDeps {
  environment: Readonly<Record<string, string | undefined>>;
  /** The directory with the token of the pod's service account. */
  serviceAccountDirectory: string;
  /** The limit for one answer. */
  answerTimeoutMs?: number;
}

interface Wanted {
  config: ConnectionConfig<"kubernetes">;
  secrets: Secrets | null;
  connectionId: string;
  signal: AbortSignal;
  programs: Programs;
  /** Called before a delivered token is used for a cluster that the agent's host names. */
  confirmTarget(resolved: JsonObject): void;
}

/**
 * The cluster of a connection, from the first of these that exists: a kubeconfig in the vault; a token in the vault,
 * for the cluster in `kubeconfigPath` or the one that the agent runs in; the kubeconfig at `kubeconfigPath`; the
 * service account of the agent's own pod. Throws `credential_missing`, `invalid_credential`, `invalid_config`, and the
 * errors of `confirmTarget`.
 */
export async function findCluster(wanted: Wanted, deps: KubernetesDeps): Promise<Cluster> {
  const { config, secrets, connectionId, signal, programs, confirmTarget } = wanted;
  const { context, kubeconfigPath } = config;
  const [kubeconfig, token] = [secrets?.["kubeconfig"], secrets?.["token"]];
  if (kubeconfig !== undefined) return await loadKubeconfig(kubeconfig, { file: null, context, programs, signal });
  let found: Cluster | null;
  if (kubeconfigPath === undefined) found = await inCluster(deps, token);
  else {
    const file = wholePath(kubeconfigPath);
    const content = await readCredentialFile(file, "The kubeconfig", programs);
    found = await loadKubeconfig(content, { file, context, token, programs, signal });
  }
  if (found === null) {
    const message = `Connection ${connectionId} does not say where its cluster is, and the agent does not run inside one. Deliver a kubeconfig to this agent. Set kubeconfigPath instead for a kubeconfig on the agent's host, or for a token alone.`;
    throw new ExecutorFailure(token === undefined ? "credential_missing" : "invalid_config", message);
  }
  if (token === undefined) return found;
  confirmTarget(clusterPlace(found));
  return kubeconfigPath === undefined ? found : { ...found, origin: `${found.origin}, with the delivered token` };
}

/**
 * The place where a delivered token is used: the cluster that a kubeconfig on the agent's host, or its own pod, names.
 * A delivered kubeconfig contains its server. Throws the errors of `findCluster`.
 */
export async function resolveTarget({ entry, ...place }: TargetPlace, deps: KubernetesDeps): Promise<JsonObject> {
  if (place.secrets["token"] === undefined) return {};
  const { type: _type, ...fields } = entry;
  const config = parsed(CONNECTION_CONFIGS.kubernetes, fields, "invalid_config");
  const { signal } = new AbortController();
  return clusterPlace(await findCluster({ ...place, config, signal, confirmTarget: () => {} }, deps));
}

/**
 * The cluster of the agent's own pod (Kubernetes, "Accessing the API from within a Pod"), with the pod's service
 * account or the given token; null outside a cluster. The files are read for every job, because their token is replaced
 * every hour.
 */
async function inCluster(
  { environment, serviceAccountDirectory }: KubernetesDeps,
  given: string | undefined,
): Promise<Cluster | null> {
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "443" } = environment;
  if (host === "") return null;
  // Read as the agent: the files belong to the agent's own service account, and no job chooses them.
  const file = (name: string): Promise<string> =>
    readCredentialFile(join(serviceAccountDirectory, name), "The service account's file", { readFile: readSmallFile });
  return clusterOf({
    origin: "the cluster that this agent runs in",
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    authorities: await file("ca.crt"),
    verify: true,
    serverName: null,
    proxyUrl: null,
    renewal: given === undefined ? "Check the service account of the agent's pod." : DELIVER_AGAIN,
    token: given ?? (await file("token")),
    cert: null,
    key: null,
    headers: {},
  });
}

/** `~/` is the home of the agent's user. */
function wholePath(path: string): string {
  if (path.startsWith("~/")) return join(homedir(), path.slice(2));
  if (isAbsolute(path)) return path;
  const message = `kubeconfigPath ${path} must be an absolute path on the agent's host, such as /etc/bellhop/kubeconfig.`;
  throw new ExecutorFailure("invalid_config", message);
}
