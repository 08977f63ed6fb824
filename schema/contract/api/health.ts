import { z } from "zod";
import type { Operation } from "../operation.ts";

const tag = "Health";

export const checkLiveness = {
  id: "checkLiveness",
  method: "GET",
  path: "/healthz",
  tag,
  summary: "Whether this process answers",
  access: "public",
  answer: {
    kind: "raw",
    status: 200,
    contentType: "application/json",
    schema: z.object({ status: z.literal("ok") }),
  },
} as const satisfies Operation;

export const checkReadiness = {
  id: "checkReadiness",
  method: "GET",
  path: "/readyz",
  tag,
  summary: "Whether the service can serve",
  description: "200 when it can; 503 with what is missing when it cannot.",
  access: "public",
  answer: {
    kind: "raw",
    status: 200,
    alsoStatus: 503,
    contentType: "application/json",
    schema: z.object({ status: z.enum(["ready", "not ready"]), problems: z.array(z.string()) }),
  },
} as const satisfies Operation;
