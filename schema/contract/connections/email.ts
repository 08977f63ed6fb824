import { z } from "zod";
import { addresses, text } from "../action-params.ts";
import { configFields, connectionType, paramFields, secretForm } from "./descriptor.ts";
import { ON_OR_OFF, PORT_TARGET, host, hostName, password, port, secretText } from "./fields.ts";

const ADDRESSES_HELP = "One or more addresses, separated by commas.";

export const email = connectionType({
  label: "Email",
  does: "Mail through a server that the agent reaches.",
  needs: "A mail server, a sender's address, and a password if the server requires one.",
  icon: "mail",
  config: configFields({
    smtpHost: {
      schema: host,
      label: "Mail server",
      help: "Host name or IP address; with encryption, the name in its certificate.",
      placeholder: "smtp.example.com",
      target: { label: "mail server" },
    },
    smtpPort: {
      schema: port,
      label: "Port",
      help: "587 for submission, 465 for encryption from the start, 25 for relays.",
      start: 587,
      target: PORT_TARGET,
    },
    useTls: {
      schema: z.boolean(),
      label: "Encrypt (TLS)",
      help: "Port 465 from the start, other ports with STARTTLS. Without encryption, a password is only sent to the agent's own machine.",
      start: true,
      target: { label: "TLS", values: ON_OR_OFF },
    },
    fromAddress: {
      schema: z.email(),
      label: "Sender address",
      help: "Also the user that signs in, unless the credential names another.",
    },
  }),
  secrets: secretForm({
    username: {
      schema: secretText.optional(),
      label: "User",
      help: "Only if it is not the sender's address.",
      isName: true,
    },
    password,
  }),
  // A relay inside the network often requires no login.
  needsCredential: () => false,
  target: ({ smtpHost, smtpPort, useTls }) => ({ smtpHost: hostName(smtpHost), smtpPort, useTls }),
  runsCode: false,
  stages: ["TCP connection", "STARTTLS", "TLS", "Authentication"],
  actions: {
    "email.sendEmail": {
      label: "Send email",
      effect: "unsafe",
      params: paramFields({
        to: { schema: addresses, label: "To", help: ADDRESSES_HELP },
        cc: { schema: addresses.optional(), label: "CC", help: ADDRESSES_HELP },
        bcc: { schema: addresses.optional(), label: "BCC", help: ADDRESSES_HELP },
        subject: { schema: z.string().max(2_000), label: "Subject" },
        text: { schema: text.optional(), label: "Text" },
        html: { schema: text.optional(), label: "HTML" },
        attachments: {
          schema: z
            .array(
              z.strictObject({
                filename: z.string().min(1).max(255),
                content: text,
                encoding: z.enum(["utf8", "base64"]).default("utf8"),
                contentType: z.string().max(255).optional(),
              }),
            )
            .max(50)
            .optional(),
          label: "Attachments",
        },
      }),
      output: {
        messageId: { type: "text", help: "the message's id" },
        accepted: { type: "list", help: "the recipients that the server accepted" },
        rejected: { type: "list", help: "the recipients that the server refused" },
        response: { type: "text", help: "the mail server's answer" },
      },
      example: { to: "ops@example.com", subject: "web-1", text: "It was restarted." },
    },
  },
  example: {
    config: { smtpHost: "smtp.example.com", smtpPort: 465, useTls: true, fromAddress: "ops@example.com" },
    secrets: [{ username: "bot", password: "correct horse" }],
  },
});
