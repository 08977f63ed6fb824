import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import { objectOf } from "../../../schema/contract/json-object.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { listOf } from "../shared/json-members.ts";

/** Fields of a user or a cluster that name a program or a file; `token-file` is the library's own spelling. */
const REACHING = [
  "exec",
  "auth-provider",
  "tokenFile",
  "token-file",
  "client-certificate",
  "client-key",
  "certificate-authority",
];

/**
 * Refuses a context of a kubeconfig from the vault that names a program or a file of the agent's host, even if the
 * entry also has data that replaces the file. When several entries have the same name, checks all of them.
 */
export function refuseReach(document: JsonObject, context: JsonValue | undefined): void {
  const named = (list: string, name: JsonValue | undefined) =>
    listOf(document[list])
      .map(objectOf)
      .filter((entry) => entry["name"] === name);
  for (const { context: chosen } of named("contexts", context)) {
    const { user, cluster } = objectOf(chosen);
    const parts = [
      ...named("users", user).map((entry) => objectOf(entry["user"])),
      ...named("clusters", cluster).map((entry) => objectOf(entry["cluster"])),
    ];
    const field = REACHING.find((name) => parts.some((part) => (part[name] ?? "") !== ""));
    if (field !== undefined) throw reachesHost(field);
  }
}

/** `field` names a program or a file. */
export function reachesHost(field: string): ExecutorFailure {
  return new ExecutorFailure(
    "invalid_credential",
    `The delivered kubeconfig has ${field}, but a kubeconfig from the vault may not run programs or read files of the agent's host. ` +
      "Deliver what kubectl config view --raw --flatten --minify prints, or a token, or put the kubeconfig on that host and set kubeconfigPath.",
  );
}
