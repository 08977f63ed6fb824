import { z } from "zod";
import { RESPONSE } from "../action-outputs.ts";
import { text } from "../action-params.ts";
import { jsonObjectSchema } from "../json.ts";
import { configFields, connectionType, paramFields, secretForm } from "./descriptor.ts";
import { httpUrl, secretText } from "./fields.ts";

export const teamchat = connectionType({
  label: "Team chat",
  does: "Messages and Adaptive Cards in Microsoft Teams.",
  needs: "The webhook address of a Teams channel. It is a secret, so it is delivered sealed after saving.",
  icon: "team",
  config: configFields({
    webhookUrl: {
      schema: httpUrl.optional(),
      label: "Webhook address",
      help: "Anyone with the address can post. Deliver it as the credential: it is sealed, and the service does not keep it.",
      isSecret: true,
    },
  }),
  secrets: secretForm({
    webhookUrl: {
      schema: secretText,
      label: "Webhook address",
      help: "The whole address, with everything after the question mark.",
    },
  }),
  needsCredential: ({ webhookUrl }) => webhookUrl === undefined,
  // The address is the credential itself.
  target: () => ({}),
  targetWithoutFields: "the webhook address, which is the credential itself",
  runsCode: false,
  stages: ["Credential", "Endpoint reachable"],
  actions: {
    "teamchat.sendMessage": {
      label: "Send message",
      effect: "unsafe",
      params: paramFields({
        text: { schema: text, label: "Text" },
        title: { schema: z.string().max(1_000).optional(), label: "Title" },
      }),
      output: RESPONSE,
      example: { text: "The web server was restarted." },
    },
    "teamchat.sendAdaptiveCard": {
      label: "Send adaptive card",
      effect: "unsafe",
      params: paramFields({ card: { schema: jsonObjectSchema, label: "Card" } }),
      output: RESPONSE,
      example: { card: { type: "AdaptiveCard", version: "1.4", body: [{ type: "TextBlock", text: "Restarted." }] } },
    },
  },
  example: {
    config: { webhookUrl: "https://acme.example.com/hooks/1" },
    secrets: [{ webhookUrl: "https://acme.example.com/hooks/1?sig=abc" }],
  },
});
