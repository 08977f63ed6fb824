import type { ConnectionCases } from "../connection-case.ts";
import { overHttp, SECRET } from "../credential-peer.ts";

export const cases: ConnectionCases = {
  config: { context: "prod", kubeconfigPath: "/etc/kubeconfig" },
  entry: { type: "kubernetes", context: "prod", kubeconfigPath: "/etc/kubeconfig" },
  changes: [
    { context: "Prod" },
    { context: undefined },
    { kubeconfigPath: "/etc/other" },
    { kubeconfigPath: undefined },
  ],
  keeps: [{ namespace: "shop" }],
  otherTargets: [{ config: {}, changes: [{ context: "test" }, { kubeconfigPath: "/etc/kubeconfig" }] }],
  harmless: { namespace: [["another namespace", () => "elsewhere"]] },
  peer: overHttp("kubernetes.deletePod", (url) => ({
    config: {},
    secrets: { kubeconfig: kubeconfig(url) },
    params: { pod: "web-0" },
  })),
};

function kubeconfig(server: string): string {
  return JSON.stringify({
    "current-context": "test",
    clusters: [{ name: "test", cluster: { server } }],
    users: [{ name: "test", user: { token: SECRET } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
  });
}
