import { X509Certificate } from "node:crypto";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { ApiAnswer } from "../shared/json-api.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { quoted } from "../shared/quoted.ts";
import { type Cluster, kindOfLogin, NO_CREDENTIAL } from "./cluster.ts";

/** Code and remedy of refusals that mean the same for every call. */
const MEANINGS: Readonly<Record<number, readonly [code: string, remedy: string]>> = {
  400: ["rejected", "Nothing was changed; the API's words say why."],
  403: ["permission_denied", "Give this account the right by a Role and a RoleBinding in that namespace."],
  404: ["not_found", "Check the name and the namespace, and that this is the right cluster."],
  409: ["conflict", "Another client changed the object at the same time. Check the object and run the action again."],
  422: ["rejected", "Nothing was changed; the API's words say why."],
};

/**
 * Why the API refused: `authentication_failed`, one of `MEANINGS`, `outcome_unknown` (408, 500 and more, for a change),
 * `invalid_response` (no Kubernetes API), else `http_status`. Quotes the API's own message, which names verb, resource
 * and object.
 */
export function apiFailure(
  { about, mayHave }: { about: string; mayHave: string | null },
  cluster: Cluster,
  { status, members, output }: ApiAnswer,
  secrets: readonly string[],
): ExecutorFailure {
  const { kind, reason = "", message: sentence = "" } = members;
  if (status === 404 && kind !== "Status" && output["truncated"] !== true) {
    return notKubernetes(cluster, "it does not know this path");
  }
  const message = kind === "Status" ? quoted(sentence, secrets) : "";
  const said = `${about}: the API at ${cluster.where} answered ${status}${message === "" ? "" : `: ${message}`}`;
  const withoutLogin = kindOfLogin(cluster.login) === NO_CREDENTIAL;
  const unknown = (status === 408 || status >= 500) && mayHave !== null;
  const [code, remedy] =
    status === 401 || (status === 403 && withoutLogin)
      ? ["authentication_failed", whyRefused(cluster)]
      : unknown
        ? ["outcome_unknown", mayHave]
        : (MEANINGS[status] ?? ["http_status", "Check the state of the cluster's control plane, and try again."]);
  const result: JsonObject = { statusCode: status, ...(message === "" ? {} : { body: { reason, message } }) };
  return new ExecutorFailure(code, `${said.replace(/\.$/u, "")}. ${remedy}`, result);
}

/** `mayHave` as in a call, for an answer to a request that may have changed something. */
export function notKubernetes({ where }: Cluster, why: string, mayHave: string | null = null, cause?: unknown) {
  const message = `The server at ${where} is not the API of a Kubernetes cluster: ${why}. Check the server in the kubeconfig, and proxies in between.`;
  return new ExecutorFailure("invalid_response", mayHave === null ? message : `${message} ${mayHave}`, null, { cause });
}

/** An API server only says "Unauthorized". */
function whyRefused({ login, origin, renewal }: Cluster): string {
  const kind = kindOfLogin(login);
  if (kind === NO_CREDENTIAL) return `${origin} has no credential: deliver a kubeconfig with one, or a token.`;
  const validTo = login.clientCertificate === null ? "" : new X509Certificate(login.clientCertificate.cert).validTo;
  if (Date.parse(validTo) < Date.now()) {
    return `The client certificate of ${origin} expired on ${validTo}. ${renewal}`;
  }
  return `It did not accept ${kind} of ${origin}: it may have expired or belong to another cluster. ${renewal}`;
}
