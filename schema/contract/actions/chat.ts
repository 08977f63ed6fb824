import { z } from "zod";
import { RESPONSE } from "../action-outputs.ts";
import { text } from "../action-params.ts";
import { jsonObjectSchema } from "../json.ts";
import type { ActionContract } from "../action-types.ts";

/** Blank, as a template that found nothing leaves it, is the connection's default. */
const channel = z.string().max(253);

export const CHAT_ACTIONS = {
  "chat.sendMessage": {
    connectionType: "chat",
    effect: "unsafe",
    params: z.strictObject({
      channel: channel.optional(),
      text,
      blocks: z.array(jsonObjectSchema).optional(),
      threadTs: z.string().max(64).optional(),
    }),
    code: {},
    output: [...RESPONSE, "ts", "channel"],
  },
  "chat.updateMessage": {
    connectionType: "chat",
    effect: "idempotent",
    params: z.strictObject({
      channel: channel.optional(),
      ts: z.string().min(1).max(64),
      text,
      blocks: z.array(jsonObjectSchema).optional(),
    }),
    code: {},
    output: [...RESPONSE, "ts", "channel"],
  },
  "chat.addReaction": {
    connectionType: "chat",
    effect: "idempotent",
    params: z.strictObject({
      channel: channel.optional(),
      ts: z.string().min(1).max(64),
      name: z.string().min(1).max(100),
    }),
    code: {},
    output: RESPONSE,
  },
} as const satisfies Record<string, ActionContract>;
