import { z } from "zod";
import { RESPONSE, STREAMS } from "../action-outputs.ts";
import { wholeNumber } from "../action-params.ts";
import { configFields, connectionType, paramFields, secretForms } from "./descriptor.ts";
import { secretText } from "./fields.ts";

/** RFC 1123 labels and subdomains (Kubernetes, "Object Names and IDs"). */
const LABEL = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const label = z
  .string()
  .max(63)
  .regex(
    new RegExp(`^${LABEL}$`, "u"),
    "must be a name of lower-case letters, digits and -, with a letter or digit at both ends",
  );
const subdomain = z
  .string()
  .max(253)
  .regex(
    new RegExp(`^${LABEL}(?:\\.${LABEL})*$`, "u"),
    "must be a name of lower-case letters, digits, - and ., with a letter or digit at both ends of each part",
  );
/** An absolute path of any platform: the service does not know the agent's. */
const WHOLE_PATH = /^(?:\/|~\/|\\\\|[A-Za-z]:[\\/])[^\0]*$/u;

const NAMESPACE = {
  schema: label.optional(),
  label: "Namespace",
  help: "When empty, the connection's namespace.",
} as const;
const DEPLOYMENT = { schema: subdomain, label: "Deployment" } as const;
const POD = { schema: subdomain, label: "Pod" } as const;
const ROLLOUT = {
  namespace: NAMESPACE,
  wait: {
    schema: z.boolean().optional(),
    label: "Wait for the rollout",
    help: "The step ends when the rollout has ended.",
  },
} as const;
const ANSWER = { statusCode: RESPONSE.statusCode, body: RESPONSE.body } as const;

export const kubernetes = connectionType({
  label: "Kubernetes",
  does: "Restarts, scales and rolls back deployments, deletes pods, reads logs.",
  needs: "A kubeconfig or a service account's token; or nothing, if the agent has a kubeconfig or runs in the cluster.",
  icon: "cluster",
  config: configFields({
    context: {
      schema: z.string().min(1).max(253).optional(),
      label: "Context",
      help: "The context of the kubeconfig. When empty, its current context.",
      target: { label: "context", missing: "the kubeconfig's current one" },
    },
    namespace: {
      schema: label.default("default"),
      label: "Namespace",
      help: "For actions that give no namespace.",
    },
    kubeconfigPath: {
      schema: z
        .string()
        .min(1)
        .max(4_096)
        .regex(WHOLE_PATH, "must be an absolute path on the agent's host, such as /etc/bellhop/kubeconfig, or ~/…")
        .optional(),
      label: "Kubeconfig on the agent's host",
      help: "An absolute path there, or ~/…, if the kubeconfig is not delivered as the credential.",
      placeholder: "~/.kube/config",
      target: { label: "kubeconfig on the agent" },
    },
  }),
  secrets: secretForms(
    {
      kubeconfig: {
        schema: z.string().min(1).max(1_048_576),
        label: "Kubeconfig",
        help: "The output of kubectl config view --raw --flatten --minify. It must be complete, without references to files.",
        isFile: true,
      },
    },
    {
      token: {
        schema: secretText,
        label: "Service account token",
        help: "For the cluster of the agent's kubeconfig, or the cluster that the agent runs in.",
      },
    },
  ),
  // A kubeconfig may be on the agent's host.
  needsCredential: () => false,
  target: ({ context, kubeconfigPath }) => ({
    ...(context === undefined ? {} : { context }),
    ...(kubeconfigPath === undefined ? {} : { kubeconfigPath }),
  }),
  targetWithoutFields: "the cluster that the kubeconfig names",
  runsCode: true,
  stages: ["Kubeconfig", "TCP connection", "TLS", "Authentication", "Permissions"],
  actions: {
    "kubernetes.restartDeployment": {
      label: "Restart deployment",
      effect: "unsafe",
      params: paramFields({ deployment: DEPLOYMENT, ...ROLLOUT }),
      output: ANSWER,
      example: { deployment: "web" },
    },
    "kubernetes.scaleDeployment": {
      label: "Scale deployment",
      effect: "idempotent",
      params: paramFields({
        deployment: DEPLOYMENT,
        replicas: { schema: wholeNumber(0, 100_000), label: "Replicas" },
        ...ROLLOUT,
      }),
      output: ANSWER,
      example: { deployment: "web", replicas: 3 },
    },
    "kubernetes.deletePod": {
      label: "Delete pod",
      effect: "unsafe",
      params: paramFields({
        pod: POD,
        namespace: NAMESPACE,
        gracePeriodSeconds: {
          schema: wholeNumber(0, 86_400).optional(),
          label: "Grace period (seconds)",
          help: "How long the pod may take to stop. When empty, the pod's own period.",
        },
      }),
      output: ANSWER,
      example: { pod: "web-0" },
    },
    "kubernetes.rollbackDeployment": {
      label: "Roll back deployment",
      effect: "unsafe",
      params: paramFields({
        deployment: DEPLOYMENT,
        revision: {
          schema: wholeNumber(1, 1_000_000).optional(),
          label: "Revision",
          help: "When empty, the previous revision.",
        },
        ...ROLLOUT,
      }),
      output: ANSWER,
      example: { deployment: "web" },
    },
    "kubernetes.getLogs": {
      label: "Get logs",
      effect: "read",
      params: paramFields({
        pod: POD,
        container: { schema: label.optional(), label: "Container", help: "Required if the pod has several." },
        tailLines: {
          schema: wholeNumber(1, 100_000).optional(),
          label: "Last lines",
          help: "Only this many lines from the end.",
        },
        sinceSeconds: {
          schema: wholeNumber(1, 31_536_000).optional(),
          label: "Since (seconds)",
          help: "Only lines that are at most this many seconds old.",
        },
        previous: {
          schema: z.boolean().optional(),
          label: "Previous container",
          help: "The log of the previous container, such as one that crashed.",
        },
        namespace: NAMESPACE,
      }),
      output: { ...RESPONSE, stdout: { type: "text", help: "the log" }, json: STREAMS.json },
      example: { pod: "web-0", tailLines: 100 },
    },
  },
  example: {
    config: { context: "prod", namespace: "shop", kubeconfigPath: "~/.kube/config" },
    secrets: [{ kubeconfig: "apiVersion: v1\nkind: Config\n" }, { token: "a-service-accounts-token" }],
  },
});
