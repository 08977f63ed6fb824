import type { JsonValue } from "../../../schema/contract/json.ts";
import { objectAt } from "./json.ts";
import type { ClusterState } from "./state.ts";

const verbs = ["delete", "get", "list", "patch", "update", "watch"];
const resource = (name: string, kind: string, more = {}): JsonValue => ({
  name,
  singularName: "",
  namespaced: true,
  kind,
  verbs,
  ...more,
});

/** kubectl's first requests before any command. They are not in the description, and the agent never sends them. */
export const DISCOVERY: Readonly<Record<string, JsonValue>> = {
  "/version": { major: "1", minor: "32", gitVersion: "v1.32.4" },
  "/api": { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] },
  "/apis": {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: [
      {
        name: "apps",
        versions: [{ groupVersion: "apps/v1", version: "v1" }],
        preferredVersion: { groupVersion: "apps/v1", version: "v1" },
      },
    ],
  },
  "/api/v1": {
    kind: "APIResourceList",
    groupVersion: "v1",
    resources: [resource("pods", "Pod", { shortNames: ["po"] }), resource("pods/log", "Pod")],
  },
  "/apis/apps/v1": {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: "apps/v1",
    resources: [
      resource("deployments", "Deployment", { shortNames: ["deploy"] }),
      resource("deployments/scale", "Scale", { group: "autoscaling", version: "v1" }),
      resource("replicasets", "ReplicaSet", { shortNames: ["rs"] }),
    ],
  },
};

/** The list that `kubectl rollout status` reads first; null for another path. */
export function deploymentList(path: string, query: URLSearchParams, state: ClusterState): JsonValue | null {
  const [, namespace] = /^\/apis\/apps\/v1\/namespaces\/([^/]+)\/deployments$/u.exec(path) ?? [];
  if (namespace === undefined) return null;
  const wanted = /^metadata\.name=(.+)$/u.exec(query.get("fieldSelector") ?? "")?.[1];
  const items = state
    .list("deployments", namespace)
    .filter((each) => wanted === undefined || objectAt(each["metadata"])["name"] === wanted);
  return { apiVersion: "apps/v1", kind: "DeploymentList", metadata: { resourceVersion: "1" }, items };
}
