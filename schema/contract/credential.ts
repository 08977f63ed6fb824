import { z } from "zod";
import { opaqueIdSchema } from "./ids.ts";
import type { ConnectionType } from "./connection.ts";

/**
 * `secrets` by connection type (design 9): what an agent's vault holds for a connection. They exist in plain only
 * where they are typed in and inside an agent; the service sees them sealed (design 6).
 */
const secretText = z.string().min(1).max(65_536);

const sshSecretsSchema = z.union([
  z.strictObject({ password: secretText }),
  z.strictObject({
    privateKey: secretText.refine((key) => !key.startsWith("PuTTY-User-Key-File"), {
      error: "must be in PEM format, not PPK: convert it with puttygen key.ppk -O private-openssh",
    }),
    passphrase: secretText.optional(),
  }),
]);
const loginSchema = z.strictObject({ username: secretText, password: secretText });
const noSecretsSchema = z.strictObject({});

export const CONNECTION_SECRETS = {
  ssh: sshSecretsSchema,
  http: z.union([z.strictObject({ token: secretText }), loginSchema, z.strictObject({ apiKey: secretText })]),
  kubernetes: z.union([
    z.strictObject({ kubeconfig: z.string().min(1).max(1_048_576) }),
    z.strictObject({ token: secretText }),
  ]),
  chat: z.strictObject({ botToken: secretText }),
  ticketing: z.strictObject({ apiToken: secretText }),
  email: z.strictObject({ username: secretText.optional(), password: secretText }),
  teamchat: z.strictObject({ webhookUrl: secretText }),
  database: loginSchema,
  winrm: loginSchema,
  script: noSecretsSchema,
  osService: noSecretsSchema,
  notification: noSecretsSchema,
  custom: z.record(z.string().min(1).max(128), secretText),
} as const satisfies Record<ConnectionType, z.ZodType>;

/** What the vault stores of any type: names and texts. The executor that uses them checks the type's shape. */
export const secretsSchema = z
  .record(z.string().min(1).max(128), z.string().max(1_048_576))
  .refine((secrets) => Object.keys(secrets).length >= 1, { error: "must have at least one name" })
  .refine((secrets) => Object.keys(secrets).length <= 100, { error: "must have at most 100 names" });
export type Secrets = z.infer<typeof secretsSchema>;

/** The plaintext inside a sealed credential (design 6). */
export const sealedPlaintextSchema = z.object({
  agentId: opaqueIdSchema,
  connectionId: opaqueIdSchema,
  version: z.int().min(1),
  secrets: secretsSchema,
});

export const credentialStatusSchema = z.enum(["pending", "delivered", "failed", "expired"]);
export type CredentialStatus = z.infer<typeof credentialStatusSchema>;

export const recipientSchema = z.object({
  agentId: z.string(),
  publicKey: z.record(z.string(), z.unknown()),
  fingerprint: z.string(),
});

export const deliverCredentialsSchema = z.strictObject({
  sealed: z
    .array(z.strictObject({ agentId: opaqueIdSchema, jwe: z.string().min(1).max(1_500_000) }))
    .min(1)
    .max(1_000),
});

/** One agent's share of a connection's credential. */
export const agentCredentialSchema = z.object({
  agentId: z.string(),
  status: credentialStatusSchema,
  version: z.int(),
  error: z.string().nullable(),
  updatedAt: z.iso.datetime(),
});
