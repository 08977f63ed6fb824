import { ExecutorFailure } from "../shared/failures.ts";
import { checkedClientCertificate, decodedData } from "./certificates.ts";
import { bearer, type ClientCertificate, type ClusterLogin, NO_LOGIN } from "./cluster.ts";
import { readCredentialFile } from "./credential-files.ts";
import { runCredentialPlugin } from "./credential-plugin.ts";
import type { KubeconfigUser, SelectedContext } from "./kubeconfig.ts";
import { fileOfKubeconfig, type KubeconfigSource } from "./kubeconfig-cluster.ts";

/**
 * How a context's user logs in. A program (`exec`) is run only for a kubeconfig that lies on the agent's host: who puts
 * a file there decides what runs there, and who delivers a credential does not. Throws `invalid_credential`.
 */
export async function loginOfUser(
  selected: SelectedContext,
  from: KubeconfigSource & { signal: AbortSignal },
): Promise<ClusterLogin> {
  const { user, cluster } = selected;
  if (user === null) return NO_LOGIN;
  const refuse = (problem: string): ExecutorFailure =>
    new ExecutorFailure("invalid_credential", `The user of context ${selected.context} in ${from.source} ${problem}`);
  if (user["auth-provider"] !== undefined && user["auth-provider"] !== null) {
    throw refuse(
      "has an auth-provider, which Kubernetes removed in version 1.26. Use a token, a client certificate or exec.",
    );
  }
  if (user["as-user-extra"] !== undefined && user["as-user-extra"] !== null) {
    throw refuse("has as-user-extra, which this agent does not send. Take it out, or use an account of its own.");
  }
  const login = await ownLogin(user, from);
  const exec = user.exec ?? null;
  const useExec = exec !== null && login.authorization === null;
  if (useExec && from.file === null) {
    throw refuse(
      `runs the program ${exec.command} to log in, but a kubeconfig from the vault may not run programs on the agent's host. ` +
        "Put the kubeconfig on that host and set kubeconfigPath, or deliver the token of a service account.",
    );
  }
  const fromPlugin =
    useExec && from.file !== null ? await runCredentialPlugin(exec, { kubeconfig: from.file, cluster, ...from }) : null;
  return {
    authorization: fromPlugin?.authorization ?? login.authorization,
    clientCertificate: fromPlugin?.clientCertificate ?? login.clientCertificate,
    impersonation: impersonation(user, refuse),
  };
}

async function ownLogin(user: KubeconfigUser, from: KubeconfigSource): Promise<ClusterLogin> {
  const clientCertificate = await certificateOf(user, from);
  const tokenFile = user.tokenFile ?? "";
  if (tokenFile !== "") {
    const token = await readCredentialFile(fileOfKubeconfig(from, "tokenFile", tokenFile), "The token", from.programs);
    return { ...bearer(token), clientCertificate };
  }
  const token = user.token ?? "";
  if (token !== "") return { ...bearer(token), clientCertificate };
  const [username, password] = [user.username ?? "", user.password ?? ""];
  if (username === "" && password === "") return { ...NO_LOGIN, clientCertificate };
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  return { ...NO_LOGIN, authorization, clientCertificate };
}

async function certificateOf(user: KubeconfigUser, from: KubeconfigSource): Promise<ClientCertificate | null> {
  const [cert, key] = [await pem("client-certificate", user, from), await pem("client-key", user, from)];
  if (cert === null && key === null) return null;
  if (cert === null || key === null) {
    const message = `${from.source} has only one of client-certificate and client-key: both are needed. Deliver it again.`;
    throw new ExecutorFailure("invalid_credential", message);
  }
  return checkedClientCertificate({ cert, key }, from.source);
}

async function pem(
  field: "client-certificate" | "client-key",
  user: KubeconfigUser,
  from: KubeconfigSource,
): Promise<string | null> {
  const [data, path] = [user[`${field}-data`] ?? "", user[field] ?? ""];
  if (data !== "") return decodedData(data, `${field}-data`, from.source);
  if (path === "") return null;
  return await readCredentialFile(fileOfKubeconfig(from, field, path), `The ${field}`, from.programs);
}

/** Left out in silence, these would let the agent act with more rights than the kubeconfig gives it. */
function impersonation(
  user: KubeconfigUser,
  refuse: (problem: string) => ExecutorFailure,
): ClusterLogin["impersonation"] {
  const [name, uid, groups] = [user.as ?? "", user["as-uid"] ?? "", user["as-groups"] ?? []];
  if (name === "" && (uid !== "" || groups.length > 0)) throw refuse("has as-uid or as-groups, but not as.");
  // oxlint-disable-next-line no-control-regex
  if ([name, uid, ...groups].some((value) => /[^\u0020-\u007e]/u.test(value))) {
    throw refuse("has an as, as-uid or as-groups with characters that no header can carry.");
  }
  if (name === "") return null;
  return { headers: { "impersonate-user": name, ...(uid === "" ? {} : { "impersonate-uid": uid }) }, groups };
}
