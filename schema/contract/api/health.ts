import { z } from "zod";
import type { Operation } from "../operation.ts";

const tag = "Health";

export const checkLiveness = {
  id: "checkLiveness",
  method: "GET",
  path: "/healthz",
  tag,
  summary: "Whether this process answers",
  description: "It asks nothing and nobody: 200 and the version whatever else is away.",
  access: "public",
  answer: {
    kind: "raw",
    status: 200,
    contentType: "application/json",
    schema: z.object({ status: z.literal("ok"), version: z.string() }),
  },
} as const satisfies Operation;

export const checkReadiness = {
  id: "checkReadiness",
  method: "GET",
  path: "/readyz",
  tag,
  summary: "Whether the service can serve",
  description:
    "200 when it can; 503 with what is missing, and what to do about it, when it cannot. It answers within three seconds, and looks no more than once a second, however often it is asked.",
  access: "public",
  answer: {
    kind: "raw",
    status: 200,
    alsoStatus: 503,
    contentType: "application/json",
    schema: z.object({
      status: z.enum(["ready", "not ready"]),
      version: z.string(),
      /** What to do about each problem. */
      problems: z.array(z.string()),
      /** Each part separately: the settings, the database and its schema, the Durable Objects. */
      checks: z.array(z.object({ name: z.enum(["settings", "database", "objects"]), ready: z.boolean() })),
    }),
  },
} as const satisfies Operation;
