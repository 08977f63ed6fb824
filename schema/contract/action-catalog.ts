import { z } from "zod";
import { addresses, code, environment, name, secretsFrom, text, wholeNumber } from "./action-params.ts";
import type { ActionContract } from "./action-types.ts";
import { jsonObjectSchema, jsonValueSchema } from "./json.ts";
import { notificationChannelSchema } from "./notification.ts";

const STREAMS = ["stdout", "stderr", "exitCode", "truncated"] as const;
const RESPONSE = ["statusCode", "body", "truncated"] as const;
const SERVICE = [...STREAMS, "service", "activeState", "subState", "result", "journal", "dependents"] as const;
const ISSUE = [...RESPONSE, "issueKey", "issueUrl"] as const;

const scriptParams = z.strictObject({
  script: code,
  workingDirectory: z.string().min(1).max(4_096).optional(),
  env: environment.optional(),
  secretsFrom,
});
const serviceParams = z.strictObject({ service: z.string().min(1).max(256) });
const inNamespace = { namespace: name.optional() };
const rollout = { ...inNamespace, wait: z.boolean().optional() };

export const ACTIONS = {
  "ssh.executeCommand": {
    connectionType: "ssh",
    effect: "unsafe",
    params: z.strictObject({ command: code, secretsFrom }),
    code: { command: "sh" },
    output: STREAMS,
  },
  "ssh.executeScript": {
    connectionType: "ssh",
    effect: "unsafe",
    params: z.strictObject({
      script: code,
      interpreter: z
        .string()
        .regex(/^[A-Za-z0-9._/+-]{1,255}$/u, "must be the name or path of a program, such as bash or /usr/bin/python3")
        .default("bash"),
      arguments: z.array(text).max(100).optional(),
      secretsFrom,
    }),
    code: { script: "bash" },
    output: STREAMS,
  },
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
    output: [...RESPONSE, "headers", "bodyEncoding"],
  },
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
    output: ["stdout", "statusCode", "body", "truncated"],
  },
  "chat.sendMessage": {
    connectionType: "chat",
    effect: "unsafe",
    params: z.strictObject({
      channel: name.optional(),
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
      channel: name.optional(),
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
      channel: name.optional(),
      ts: z.string().min(1).max(64),
      name: z.string().min(1).max(100),
    }),
    code: {},
    output: RESPONSE,
  },
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
  "email.sendEmail": {
    connectionType: "email",
    effect: "unsafe",
    params: z.strictObject({
      to: addresses,
      cc: addresses.optional(),
      bcc: addresses.optional(),
      subject: z.string().max(2_000),
      text: text.optional(),
      html: text.optional(),
      attachments: z
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
    }),
    code: {},
    output: ["messageId", "accepted", "rejected", "response"],
  },
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
  "database.executeQuery": {
    connectionType: "database",
    effect: "unsafe",
    params: z.strictObject({
      query: code,
      maxRows: wholeNumber(1, 100_000).default(1_000),
      readOnly: z.boolean().optional(),
    }),
    // Templates are placeholders of bound values: see sql-values.ts.
    code: { query: "sql" },
    output: ["rows", "columns", "rowCount", "truncated"],
  },
  "winrm.executeCommand": {
    connectionType: "winrm",
    effect: "unsafe",
    params: z.strictObject({ command: code }),
    // Plain values stand in the text itself; `values` is empty.
    code: { command: "cmd" },
    output: STREAMS,
  },
  "winrm.executeScript": {
    connectionType: "winrm",
    effect: "unsafe",
    params: z.strictObject({ script: code }),
    // `values` are variables of the remote shell's environment (WS-Management: rsp:Environment), never text in the script.
    code: { script: "powershell" },
    output: STREAMS,
  },
  "script.bash": {
    connectionType: "script",
    effect: "unsafe",
    params: scriptParams,
    code: { script: "bash" },
    output: STREAMS,
  },
  "script.powershell": {
    connectionType: "script",
    effect: "unsafe",
    params: scriptParams,
    code: { script: "powershell" },
    output: STREAMS,
  },
  "script.python": {
    connectionType: "script",
    effect: "unsafe",
    params: scriptParams,
    code: { script: "python" },
    output: STREAMS,
  },
  "os.restartService": {
    connectionType: "osService",
    effect: "unsafe",
    params: serviceParams,
    code: {},
    output: SERVICE,
  },
  "os.stopService": {
    connectionType: "osService",
    effect: "idempotent",
    params: serviceParams,
    code: {},
    output: SERVICE,
  },
  "os.startService": {
    connectionType: "osService",
    effect: "idempotent",
    params: serviceParams,
    code: {},
    output: SERVICE,
  },
  "os.restartOS": {
    connectionType: "osService",
    effect: "unsafe",
    params: z.strictObject({ delaySeconds: wholeNumber(0, 86_400).optional() }),
    code: {},
    output: [...STREAMS, "delaySeconds"],
  },
  "notification.sendNotification": {
    connectionType: "notification",
    effect: "unsafe",
    params: z.strictObject({
      channel: notificationChannelSchema,
      to: addresses,
      subject: z.string().max(2_000).optional(),
      message: text,
    }),
    code: {},
    output: ["channel", "to", "attempts", "statusCode", "messageId", "accepted", "rejected", "durationMs"],
  },
} as const satisfies Record<string, ActionContract>;
