import { z } from "zod";
import { RESPONSE } from "../action-outputs.ts";
import { text } from "../action-params.ts";
import { jsonObjectSchema } from "../json.ts";
import type { ActionContract } from "../action-types.ts";

const ISSUE = [...RESPONSE, "issueKey", "issueUrl"] as const;

export const TICKETING_ACTIONS = {
  "ticketing.createIssue": {
    connectionType: "ticketing",
    effect: "unsafe",
    params: z.strictObject({
      projectKey: z.string().min(1).max(64),
      issueType: z.string().min(1).max(128),
      summary: z.string().min(1).max(4_096),
      description: text.optional(),
      fields: jsonObjectSchema.optional(),
    }),
    code: {},
    output: ISSUE,
  },
  "ticketing.updateIssue": {
    connectionType: "ticketing",
    effect: "idempotent",
    params: z.strictObject({ issueKey: z.string().min(1).max(128), fields: jsonObjectSchema }),
    code: {},
    output: ISSUE,
  },
  "ticketing.addComment": {
    connectionType: "ticketing",
    effect: "unsafe",
    params: z.strictObject({ issueKey: z.string().min(1).max(128), body: text }),
    code: {},
    output: ISSUE,
  },
  "ticketing.transitionIssue": {
    connectionType: "ticketing",
    effect: "unsafe",
    params: z.strictObject({ issueKey: z.string().min(1).max(128), transition: z.string().min(1).max(256) }),
    code: {},
    output: [...ISSUE, "changed"],
  },
} as const satisfies Record<string, ActionContract>;
