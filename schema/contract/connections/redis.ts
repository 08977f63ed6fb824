import { z } from "zod";
import { CUT } from "../action-outputs.ts";
import { text } from "../action-params.ts";
import { configFields, connectionType, paramFields, secretForm } from "./descriptor.ts";
import { HOST_TARGET, PORT_TARGET, host, hostName, password, port, secretText } from "./fields.ts";

const TLS_CHOICES = {
  verify: { label: "Verify", help: "Encrypted, and the server's certificate and name are checked." },
  require: { label: "Require", help: "Encrypted, but the server's identity is not checked." },
  off: { label: "Off", help: "Nothing is encrypted: others in the network can read everything." },
} as const;

const NEVER_ENDS = new Set(["SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "MONITOR", "SYNC", "PSYNC"]);
const OF_THE_SESSION = new Set(["AUTH", "HELLO", "SELECT", "RESET", "QUIT", "MULTI", "REPLCONF"]);

export const redis = connectionType({
  label: "Redis",
  does: "Commands on Redis and Valkey: reads keys, clears caches, drains queues.",
  needs: "A server, and a password if it requires one.",
  icon: "stack",
  config: configFields({
    host: {
      schema: host,
      label: "Server",
      help: "Host name or IP address, as the agent reaches it.",
      placeholder: "cache-1.internal",
      target: HOST_TARGET,
    },
    port: { schema: port.default(6_379), label: "Port", target: PORT_TARGET },
    database: {
      schema: z.int().min(0).max(1_000_000).default(0),
      label: "Database",
      help: "Its number, usually 0.",
      target: { label: "database" },
    },
    authType: {
      schema: z.enum(["password", "none"]).default("password"),
      label: "Sign in with",
      choices: { password: { label: "Password" }, none: { label: "No sign-in" } },
      target: { label: "authentication", values: { password: "password", none: "none" } },
    },
    tls: {
      schema: z.enum(["verify", "require", "off"]).default("verify"),
      label: "Encryption",
      choices: TLS_CHOICES,
      target: {
        label: "encryption",
        values: { verify: "on, certificate verified", require: "on, certificate NOT verified", off: "OFF" },
      },
    },
  }),
  secrets: secretForm({
    username: {
      schema: secretText.optional(),
      label: "User",
      help: "Only if the server has users (ACL). When empty, the user default.",
      isName: true,
    },
    password,
  }),
  secretsBy: { field: "authType", names: { none: null, password: "password" } },
  needsCredential: ({ authType }) => authType !== "none",
  target: (config) => ({ ...config, host: hostName(config.host) }),
  runsCode: true,
  stages: ["TCP connection", "TLS", "Authentication", "PING"],
  actions: {
    "redis.get": {
      label: "Get a key",
      effect: "read",
      runsCode: () => false,
      params: paramFields({
        key: { schema: z.string().min(1).max(65_536), label: "Key", placeholder: "queue:length" },
      }),
      output: {
        value: { type: "text", help: "the value, or null if the key does not exist" },
        found: { type: "boolean", help: "whether the key exists" },
        encoding: { type: "text", help: "utf8, or base64 for bytes that are not text", isOptional: true },
        ...CUT,
      },
      example: { key: "feature:checkout" },
    },
    "redis.runCommand": {
      label: "Run a command",
      effect: "unsafe",
      params: paramFields(
        {
          command: {
            schema: z
              .string()
              .regex(/^[A-Za-z][A-Za-z0-9._-]{0,63}$/u, "must be the name of a command, such as DEL")
              .refine((command) => !NEVER_ENDS.has(command.toUpperCase()), {
                error: "never ends, so an action cannot run it: choose another command",
              })
              .refine((command) => !OF_THE_SESSION.has(command.toUpperCase()), {
                error:
                  "changes the server connection, which lasts for one command: set the user and the database on the connection, or use EVAL for several commands",
              }),
            label: "Command",
            help: "Only its name. The second word of a command such as CONFIG GET is its first argument.",
            placeholder: "DEL",
          },
          arguments: {
            schema: z.array(text).max(10_000).optional(),
            label: "Arguments",
            help: "One per row. Each reaches the server unchanged, so any value is safe here.",
          },
        },
        ({ command, arguments: [first = ""] = [] }) =>
          command.toUpperCase() === "CLIENT" && first.toUpperCase() === "REPLY"
            ? {
                path: ["arguments", 0],
                message: "CLIENT REPLY would stop the server's answers: use another command",
              }
            : null,
      ),
      output: { reply: { type: "any", help: "the server's reply" }, ...CUT },
      example: { command: "DEL", arguments: ["cache:prices"] },
    },
  },
  example: {
    config: { host: "cache-1.example.com", port: 6_380, database: 2, authType: "password", tls: "require" },
    secrets: [{ username: "bellhop", password: "correct horse" }],
  },
});
