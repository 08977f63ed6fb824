import type { JsonObject } from "../../../schema/contract/json.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { quoted } from "../shared/quoted.ts";
import { endedAt } from "./certificates.ts";
import { type Cluster, kindOfLogin, NO_CREDENTIAL } from "./cluster.ts";
import { type ApiStatus, notKubernetes } from "./read-answer.ts";

interface Refusal {
  where: string;
  about: string;
  mayHave: string | null;
  cluster: Cluster;
  status: ApiStatus;
  secrets: readonly string[];
}

/**
 * Why the API refused: `authentication_failed` (401), `permission_denied` (403), `not_found` (404), `conflict` (409),
 * `rejected` (400, 422), `outcome_unknown` (408, 500 and more, for what changes something), `invalid_response` (it is no
 * Kubernetes API), else `http_status`. The API's own sentence is quoted: it names verb, resource and object.
 */
export function apiFailure(refusal: Refusal): ExecutorFailure {
  const { status, secrets } = refusal;
  if (status.code >= 300 && status.code < 400)
    return notKubernetes(refusal.where, `it redirects (status ${status.code})`);
  if (status.code === 404 && status.complete && status.message === "")
    return notKubernetes(refusal.where, "it does not know this path");
  const message = quoted(status.message, secrets);
  const { code, remedy } = meaning(refusal);
  const said = `${refusal.about}: the API at ${refusal.where} answered ${status.code}${message === "" ? "" : `: ${message}`}`;
  const output: JsonObject = { statusCode: status.code };
  if (message !== "") output["body"] = { reason: status.reason, message };
  return new ExecutorFailure(code, `${said.replace(/\.$/u, "")}. ${remedy}`, output);
}

function meaning({ status, cluster, mayHave }: Refusal): { code: string; remedy: string } {
  switch (status.code) {
    case 401:
      return { code: "authentication_failed", remedy: whyRefused(cluster) };
    case 403:
      return kindOfLogin(cluster.login) === NO_CREDENTIAL
        ? { code: "authentication_failed", remedy: whyRefused(cluster) }
        : {
            code: "permission_denied",
            remedy: "Give this account the right by a Role and a RoleBinding in that namespace.",
          };
    case 404:
      return { code: "not_found", remedy: "Check the name and the namespace, and that this is the right cluster." };
    case 409:
      return {
        code: "conflict",
        remedy: "Somebody else changed it at the same time: look at it and run the action again.",
      };
    case 400:
    case 422:
      return { code: "rejected", remedy: "Nothing was changed; the API's words say why." };
    default:
      if ((status.code === 408 || status.code >= 500) && mayHave !== null)
        return { code: "outcome_unknown", remedy: mayHave };
      return { code: "http_status", remedy: "Look at the state of the cluster's control plane, and try again." };
  }
}

function whyRefused({ login, origin }: Cluster): string {
  const ended = login.clientCertificate === null ? null : endedAt(login.clientCertificate, Date.now());
  if (ended !== null) return `The client certificate of ${origin} ended ${ended}: deliver a new one.`;
  const kind = kindOfLogin(login);
  if (kind === NO_CREDENTIAL) return `${origin} has no credential: deliver a kubeconfig with one, or a token.`;
  return `It did not accept ${kind} of ${origin}: it may have ended or belong to another cluster. Deliver a new one.`;
}
