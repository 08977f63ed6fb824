import { AuthorizationV1Api, VersionApi } from "@kubernetes/client-node";
import type { SocketStage } from "../http/open-socket.ts";
import type { ConnectionCheck, ExecutorContext } from "../executor.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { notKubernetes } from "./api-failure.ts";
import { type Cluster, kindOfLogin } from "./cluster.ts";
import type { KubernetesDeps } from "./find-cluster.ts";
import { beginKubernetesJob, type KubernetesJob } from "./job.ts";

/** Another failure of the question about rights leaves the login proven. */
const FATAL = new Set(["authentication_failed", "job_ended", "invalid_response"]);

/** cluster-info with the configured context (docs/design/connections.md#connection-tests), in named checks. */
export async function testConnection(context: ExecutorContext, deps: KubernetesDeps): Promise<ConnectionCheck[]> {
  const checks: ConnectionCheck[] = [];
  let stage = "Kubeconfig";
  const pass = (detail: string, next: string): void => {
    checks.push({ name: stage, ok: true, detail });
    stage = next;
  };
  try {
    const job = await beginKubernetesJob(context, deps);
    const { origin, server, where, login } = job.cluster;
    const named = `${origin.slice(0, 1).toUpperCase()}${origin.slice(1)}`;
    pass(`${named}: ${server.href.replace(/\/$/u, "")}, with ${kindOfLogin(login)}.`, "TCP connection");
    const version = await versionOf(job, (reached) => {
      const accepted = `${where} accepted the connection.`;
      if (stage === "TCP connection" && (reached === "tls" || reached === "open")) pass(accepted, "TLS");
      if (stage === "TLS" && reached === "open") pass(tlsDetail(job.cluster), "Authentication");
    });
    // A server may give its version to everyone: the next question shows whether it knows the account.
    const permissions = await permissionsOf(job, version === null);
    pass(
      `${version ?? "A Kubernetes cluster that does not give its version"}. It accepted ${kindOfLogin(login)}.`,
      "Permissions",
    );
    pass(permissions, "");
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    checks.push({ name: stage, ok: false, detail: error.message });
  }
  return checks;
}

/** Null where the server keeps it to itself. */
async function versionOf(job: KubernetesJob, onStage: (stage: SocketStage) => void): Promise<string | null> {
  try {
    const call = { about: "Its version", mayHave: null, onStage };
    const { gitVersion } = await job.call(VersionApi, call, (api) => api.getCode());
    const given: unknown = gitVersion;
    if (typeof given === "string" && given !== "") return `Kubernetes ${given}`;
    throw notKubernetes(job.cluster, "it gives no version");
  } catch (error) {
    if (!(error instanceof ExecutorFailure) || error.code !== "permission_denied") throw error;
    return null;
  }
}

/** Every account may ask for its rights; an unknown one may not. `unproven`: nothing has shown yet that this is Kubernetes. */
async function permissionsOf(job: KubernetesJob, unproven: boolean): Promise<string> {
  const { namespace } = job;
  const resourceAttributes = { namespace, verb: "patch", group: "apps", resource: "deployments" };
  const [apiVersion, kind] = ["authorization.k8s.io/v1", "SelfSubjectAccessReview"];
  try {
    const call = { about: "A question about this account's rights", mayHave: null, kind };
    const body = { apiVersion, kind, spec: { resourceAttributes } };
    const { status } = await job.call(AuthorizationV1Api, call, (api) => api.createSelfSubjectAccessReview({ body }));
    if (typeof status?.allowed !== "boolean") throw notKubernetes(job.cluster, "it does not decide about a right");
    if (status.allowed) return `It may patch deployments in namespace ${namespace}.`;
    return `It may not patch deployments in namespace ${namespace}: restarting and rolling back would be refused there.`;
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    if (FATAL.has(error.code)) throw error;
    // A refusal of Kubernetes is a Status, whose message is in the output.
    if (unproven && error.output?.["body"] === undefined) {
      throw notKubernetes(job.cluster, `it gives no version, and no rights: ${error.message}`, null, error);
    }
    return `Its rights in namespace ${namespace} could not be checked: ${error.message}`;
  }
}

function tlsDetail({ server, verify, serverName, authorities }: Cluster): string {
  if (server.protocol === "http:") return "None: plain http, which never leaves the agent's host.";
  if (!verify)
    return "Encrypted, but not verified: the kubeconfig says insecure-skip-tls-verify, so the server's identity is not checked.";
  const by = authorities === null ? "an authority that the agent's host trusts" : "the authority in the kubeconfig";
  return `The certificate is valid for ${serverName ?? server.hostname} and signed by ${by}.`;
}
