import { z } from "zod";
import { jsonValueSchema } from "./json.ts";
import { isSecretName, LOOKS_LIKE_SECRET } from "./secret-name.ts";
import { steersPrograms } from "./variable-name.ts";

/**
 * The 13 connection types (specification, "Connection"; design 9). A configuration never holds a secret: it has no
 * field for one, and an unknown key is refused.
 */
const hostSchema = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[A-Za-z0-9._:[\]-]+$/u, "must be a host name or an IP address");
const portSchema = z.int().min(1).max(65_535);
const CARRIES_LOGIN = /^[^/?#]*:[/\\]*[^/\\?#]*@/u;
const httpUrlSchema = z
  .url({ protocol: /^https?$/u, error: "must be an http:// or https:// address" })
  .refine((url) => !CARRIES_LOGIN.test(url), {
    error: "must not carry a user or password: deliver these as the connection's credential",
  });

export const sshConfigSchema = z.strictObject({
  host: hostSchema,
  port: portSchema.default(22),
  username: z.string().min(1).max(255),
  authMethod: z.enum(["password", "privateKey"]),
  hostKeyFingerprint: z
    .string()
    .regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/u, "must be the form that ssh-keygen -lf prints: SHA256:<base64>")
    .optional(),
});

export const httpConfigSchema = z.strictObject({
  baseUrl: httpUrlSchema,
  authType: z.enum(["none", "basic", "bearer", "apiKey"]),
  apiKeyHeader: z
    .string()
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/u, "must be a header name")
    .default("X-API-Key"),
  timeoutSeconds: z.int().min(1).max(3_600).default(30),
  verifySsl: z.boolean().default(true),
});

export const kubernetesConfigSchema = z.strictObject({
  context: z.string().min(1).max(253).optional(),
  namespace: z.string().min(1).max(63).default("default"),
  kubeconfigPath: z.string().min(1).max(4_096).optional(),
});

export const chatConfigSchema = z.strictObject({
  defaultChannel: z.string().regex(/^C[A-Z0-9]{2,63}$/u, "must be the channel's id, which starts with C, not its name"),
});

export const ticketingConfigSchema = z.strictObject({ serverUrl: httpUrlSchema, email: z.email() });

export const emailConfigSchema = z.strictObject({
  smtpHost: hostSchema,
  smtpPort: portSchema,
  useTls: z.boolean(),
  fromAddress: z.email(),
});

export const teamchatConfigSchema = z.strictObject({ webhookUrl: httpUrlSchema.optional() });

export const databaseConfigSchema = z
  .strictObject({
    host: hostSchema.optional(),
    port: portSchema.optional(),
    database: z.string().min(1).max(4_096),
    driver: z.enum(["postgres", "mysql", "sqlserver", "sqlite"]),
    tls: z.enum(["verify", "require", "off"]).default("verify"),
  })
  .refine((config) => config.driver === "sqlite" || config.host !== undefined, {
    path: ["host"],
    error: "is required for every driver but sqlite",
  });

export const winrmConfigSchema = z.strictObject({
  host: hostSchema,
  port: portSchema,
  useSsl: z.boolean(),
  authMethod: z.enum(["basic", "ntlm", "kerberos"]),
});

const emptyConfigSchema = z.strictObject({});

export const customConfigSchema = z.strictObject({
  fields: z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/u, "must be a name of letters, digits and _"),
      jsonValueSchema,
    )
    .superRefine((fields, context) => {
      for (const name of Object.keys(fields)) {
        const message = isSecretName(name)
          ? LOOKS_LIKE_SECRET
          : steersPrograms(name)
            ? "would change how programs are found or started in every script: choose another name"
            : null;
        if (message !== null) context.addIssue({ code: "custom", path: [name], message });
      }
    }),
});

/** `config` by type. */
export const CONNECTION_CONFIGS = {
  ssh: sshConfigSchema,
  http: httpConfigSchema,
  kubernetes: kubernetesConfigSchema,
  chat: chatConfigSchema,
  ticketing: ticketingConfigSchema,
  email: emailConfigSchema,
  teamchat: teamchatConfigSchema,
  database: databaseConfigSchema,
  winrm: winrmConfigSchema,
  script: emptyConfigSchema,
  osService: emptyConfigSchema,
  notification: emptyConfigSchema,
  custom: customConfigSchema,
} as const;

export type ConnectionType = keyof typeof CONNECTION_CONFIGS;

export const connectionTypeSchema = z.enum([
  "ssh",
  "http",
  "kubernetes",
  "chat",
  "ticketing",
  "email",
  "teamchat",
  "database",
  "winrm",
  "script",
  "osService",
  "notification",
  "custom",
]) satisfies z.ZodType<ConnectionType>;

export const CONNECTION_TYPES: readonly ConnectionType[] = connectionTypeSchema.options;

/** A connection's type together with the configuration of that type: one union, told apart by `type`. */
export const connectionTargetSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ssh"), config: sshConfigSchema }),
  z.object({ type: z.literal("http"), config: httpConfigSchema }),
  z.object({ type: z.literal("kubernetes"), config: kubernetesConfigSchema }),
  z.object({ type: z.literal("chat"), config: chatConfigSchema }),
  z.object({ type: z.literal("ticketing"), config: ticketingConfigSchema }),
  z.object({ type: z.literal("email"), config: emailConfigSchema }),
  z.object({ type: z.literal("teamchat"), config: teamchatConfigSchema }),
  z.object({ type: z.literal("database"), config: databaseConfigSchema }),
  z.object({ type: z.literal("winrm"), config: winrmConfigSchema }),
  z.object({ type: z.literal("script"), config: emptyConfigSchema }),
  z.object({ type: z.literal("osService"), config: emptyConfigSchema }),
  z.object({ type: z.literal("notification"), config: emptyConfigSchema }),
  z.object({ type: z.literal("custom"), config: customConfigSchema }),
]);
export type ConnectionTarget = z.infer<typeof connectionTargetSchema>;
export type ConnectionConfig<T extends ConnectionType> = Extract<ConnectionTarget, { type: T }>["config"];

/** Whether a connection of this type can have a credential at all. */
export function takesCredential(type: ConnectionType): boolean {
  return type !== "script" && type !== "osService" && type !== "notification";
}

/** Whether dispatch must find the connection's credential on an agent before it gives it a job (design 6). */
export function needsCredential(target: ConnectionTarget): boolean {
  switch (target.type) {
    case "ssh":
    case "chat":
    case "ticketing":
    case "winrm":
      return true;
    case "http":
      return target.config.authType !== "none";
    case "database":
      return target.config.driver !== "sqlite";
    case "teamchat":
      return target.config.webhookUrl === undefined;
    // A relay inside the network often asks for no login, a kubeconfig may lie on the agent, and a custom
    // connection may have fields alone: these run with what the agent has.
    case "kubernetes":
    case "email":
    case "custom":
    case "script":
    case "osService":
    case "notification":
      return false;
  }
}
