import { z } from "zod";
import { name, wholeNumber } from "../action-params.ts";
import type { ActionContract } from "../action-types.ts";

const inNamespace = { namespace: name.optional() };
const rollout = { ...inNamespace, wait: z.boolean().optional() };

export const KUBERNETES_ACTIONS = {
  "kubernetes.restartDeployment": {
    connectionType: "kubernetes",
    effect: "unsafe",
    params: z.strictObject({ deployment: name, ...rollout }),
    code: {},
    output: ["statusCode", "body"],
  },
  "kubernetes.scaleDeployment": {
    connectionType: "kubernetes",
    effect: "idempotent",
    params: z.strictObject({ deployment: name, replicas: wholeNumber(0, 100_000), ...rollout }),
    code: {},
    output: ["statusCode", "body"],
  },
  "kubernetes.deletePod": {
    connectionType: "kubernetes",
    effect: "unsafe",
    params: z.strictObject({ pod: name, ...inNamespace, gracePeriodSeconds: wholeNumber(0, 86_400).optional() }),
    code: {},
    output: ["statusCode", "body"],
  },
  "kubernetes.rollbackDeployment": {
    connectionType: "kubernetes",
    effect: "unsafe",
    params: z.strictObject({ deployment: name, revision: wholeNumber(1, 1_000_000).optional(), ...rollout }),
    code: {},
    output: ["statusCode", "body"],
  },
  "kubernetes.getLogs": {
    connectionType: "kubernetes",
    effect: "read",
    params: z.strictObject({
      pod: name,
      container: name.optional(),
      tailLines: wholeNumber(1, 100_000).optional(),
      sinceSeconds: wholeNumber(1, 31_536_000).optional(),
      previous: z.boolean().optional(),
      ...inNamespace,
    }),
    code: {},
    output: ["stdout", "statusCode", "body", "truncated", "json"],
  },
} as const satisfies Record<string, ActionContract>;
