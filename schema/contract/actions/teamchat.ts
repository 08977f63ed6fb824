import { z } from "zod";
import { RESPONSE } from "../action-outputs.ts";
import { text } from "../action-params.ts";
import { jsonObjectSchema } from "../json.ts";
import type { ActionContract } from "../action-types.ts";

export const TEAMCHAT_ACTIONS = {
  "teamchat.sendMessage": {
    connectionType: "teamchat",
    effect: "unsafe",
    params: z.strictObject({ text, title: z.string().max(1_000).optional() }),
    code: {},
    output: RESPONSE,
  },
  "teamchat.sendAdaptiveCard": {
    connectionType: "teamchat",
    effect: "unsafe",
    params: z.strictObject({ card: jsonObjectSchema }),
    code: {},
    output: RESPONSE,
  },
} as const satisfies Record<string, ActionContract>;
