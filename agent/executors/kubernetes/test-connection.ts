import { AuthorizationV1Api, VersionApi } from "@kubernetes/client-node";
import type { SocketStage } from "../http/open-socket.ts";
import type { ConnectionCheck, ExecutorContext } from "../executor.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { type Cluster, kindOfLogin } from "./cluster.ts";
import type { KubernetesDeps } from "./deps.ts";
import { beginKubernetesJob, type KubernetesJob } from "./job.ts";

/** cluster-info with the configured context (specification, "Connection tests"), in named checks. */
export async function testConnection(context: ExecutorContext, deps: KubernetesDeps): Promise<ConnectionCheck[]> {
  const checks: ConnectionCheck[] = [];
  const pass = (name: string, detail: string): void => void checks.push({ name, ok: true, detail });
  let stage = "Kubeconfig";
  try {
    const job = await beginKubernetesJob(context, deps);
    const { cluster, where } = job.client;
    pass(
      stage,
      `${capitalised(cluster.origin)}: ${cluster.server.href.replace(/\/$/u, "")}, with ${kindOfLogin(cluster.login)}.`,
    );
    stage = "TCP connection";
    const version = await asked(job, (reached) => {
      if (reached === "tls" || reached === "open") {
        pass("TCP connection", `${where} accepted the connection.`);
        stage = "TLS";
      }
      if (reached === "open") {
        pass("TLS", tlsDetail(cluster));
        stage = "Authentication";
      }
    });
    const permissions = await permissionsOf(job);
    pass("Authentication", `${version}. It accepted ${kindOfLogin(cluster.login)}.`);
    pass("Permissions", permissions);
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    checks.push({ name: stage, ok: false, detail: error.message });
  }
  return checks;
}

/** Asks for the version. `reached` is told how far it came, also when it fails there. */
async function asked({ client }: KubernetesJob, reached: (stage: SocketStage) => void): Promise<string> {
  let last: SocketStage = "lookup";
  const onStage = (stage: SocketStage): void => void (last = stage);
  const about = "Its version";
  try {
    const { data } = await client.call(VersionApi, { about, mayHave: null, onStage }, (api) =>
      api.getCodeWithHttpInfo(),
    );
    return `Kubernetes ${data.gitVersion || "of an unknown version"}`;
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    // Some clusters keep their version to themselves.
    if (error.code === "permission_denied") return "A Kubernetes cluster that does not tell its version";
    throw error;
  } finally {
    reached(last);
  }
}

/** Every account may ask what it may do; one that is not known may not, which tells that there is none. */
async function permissionsOf({ client, namespace }: KubernetesJob): Promise<string> {
  const resourceAttributes = { namespace, verb: "patch", group: "apps", resource: "deployments" };
  try {
    const call = { about: "A question about this account's rights", mayHave: null };
    const body = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes },
    };
    const { data } = await client.call(AuthorizationV1Api, call, (api) =>
      api.createSelfSubjectAccessReviewWithHttpInfo({ body }),
    );
    const allowed = data.status?.allowed === true;
    if (allowed) return `It may patch deployments in namespace ${namespace}.`;
    return `It may not patch deployments in namespace ${namespace}: restarting and rolling back would be refused there.`;
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    if (error.code === "authentication_failed" || error.code === "job_ended") throw error;
    return `What it may do in namespace ${namespace} could not be asked: ${error.message}`;
  }
}

function tlsDetail({ server, verify, serverName, authorities }: Cluster): string {
  if (server.protocol === "http:") return "None: plain http, which never leaves the agent's host.";
  if (!verify)
    return "Encrypted, but not verified: the kubeconfig says insecure-skip-tls-verify, so anybody could answer.";
  const by = authorities === null ? "an authority that the agent's host trusts" : "the authority in the kubeconfig";
  return `The certificate is valid for ${serverName ?? server.hostname} and signed by ${by}.`;
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
