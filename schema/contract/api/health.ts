import { z } from "zod";
import type { Operation } from "../operation.ts";

const tag = "Health";

export const checkLiveness = {
  id: "checkLiveness",
  method: "GET",
  path: "/healthz",
  tag,
  summary: "Check that this process answers",
  description: "200 and the version. It checks nothing else.",
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
  summary: "Check that the service is ready",
  description:
    "200 when it is ready; 503 with each problem and what to do. It answers within three seconds, and checks at most once a second.",
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
