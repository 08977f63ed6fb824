/** It names a server, and needs no other file. */
export const KUBECONFIG = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "one", cluster: { server: "https://k8s.example.com:6443" } }],
  contexts: [{ name: "one", context: { cluster: "one", user: "one" } }],
  users: [{ name: "one", user: {} }],
  "current-context": "one",
});
