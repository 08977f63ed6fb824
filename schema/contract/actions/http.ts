import { z } from "zod";
import { RESPONSE } from "../action-outputs.ts";
import { jsonValueSchema } from "../json.ts";
import type { ActionContract } from "../action-types.ts";

export const HTTP_ACTIONS = {
  "http.request": {
    connectionType: "http",
    effect: "unsafe",
    params: z.strictObject({
      method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]).default("GET"),
      path: z.string().max(8_192).optional(),
      url: z.string().max(8_192).optional(),
      query: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
      headers: z.record(z.string().min(1).max(128), z.string().max(8_192)).optional(),
      body: jsonValueSchema.optional(),
      bodyType: z.enum(["json", "form", "text"]).default("json"),
      expectStatus: z.union([z.int().min(100).max(599), z.array(z.int().min(100).max(599)).min(1)]).optional(),
    }),
    code: {},
    output: [...RESPONSE, "headers", "bodyEncoding", "url"],
  },
} as const satisfies Record<string, ActionContract>;
