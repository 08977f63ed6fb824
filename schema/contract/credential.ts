import { z } from "zod";
import { publicKeySchema } from "./agent.ts";
import { credentialTargetSchema } from "./credential-target.ts";
import { opaqueIdSchema } from "./ids.ts";

/** The vault's content for any type: names and strings. The executor that uses them checks the type's shape. */
export const secretsSchema = z
  .record(z.string().min(1).max(128), z.string().max(1_048_576))
  .refine((secrets) => Object.keys(secrets).length >= 1, { error: "must have at least one name" })
  .refine((secrets) => Object.keys(secrets).length <= 100, { error: "must have at most 100 names" });
export type Secrets = z.infer<typeof secretsSchema>;

/** The plaintext inside a sealed credential (docs/design/credentials.md#sealing). */
export const sealedPlaintextSchema = z.object({
  agentId: opaqueIdSchema,
  connectionId: opaqueIdSchema,
  version: z.int().min(1),
  /**
   * Absent in credentials sealed by older tools: such a credential has no target, and is unused until a person binds
   * it.
   */
  target: credentialTargetSchema.optional(),
  secrets: secretsSchema,
});

export const credentialStatusSchema = z.enum(["pending", "delivered", "failed", "expired"]);
export type CredentialStatus = z.infer<typeof credentialStatusSchema>;

/** RFC 7638: a SHA-256 in base64url. */
const fingerprintSchema = z.string().regex(/^[\w-]{43}$/u, { error: "must be 43 characters of base64url" });

export const verifyFingerprintSchema = z.strictObject({
  fingerprint: fingerprintSchema.describe("The fingerprint that the agent itself prints."),
});

export const fingerprintVerifiedSchema = z
  .object({ by: z.string(), at: z.iso.datetime() })
  .optional()
  .describe(
    "Who compared the fingerprint of the agent's present key last, and when; absent if no person did. A hint, never a proof: a hostile service could invent it, so compare the fingerprint yourself before you deliver a credential.",
  );

/** The agents for which a connection's credential is sealed, with the version (docs/design/credentials.md#sealing). */
export const recipientSchema = z.object({
  agentId: z.string(),
  name: z.string(),
  publicKey: publicKeySchema,
  /** RFC 7638, as the agent itself shows it: the person who delivers compares the two. */
  fingerprint: z.string(),
  fingerprintVerified: fingerprintVerifiedSchema,
  /** The version in the plaintext of the next delivery to this agent. */
  version: z.int().min(1),
  /**
   * Where the credential will be used: the person who delivers it reads and confirms the target, and seals it with the
   * secrets.
   */
  target: credentialTargetSchema,
});
export type Recipient = z.infer<typeof recipientSchema>;

export const SEALED_MAX_CHARS = 1_500_000;

export const deliverCredentialsSchema = z.strictObject({
  sealed: z
    .array(
      z.strictObject({
        agentId: opaqueIdSchema,
        jwe: z
          .string()
          .min(1)
          .max(SEALED_MAX_CHARS)
          .describe("A compact JWE (`ECDH-ES`, `A256GCM`) of `{agentId, connectionId, version, target, secrets}`."),
        version: z
          .int()
          .min(1)
          .optional()
          .describe(
            "The version in the JWE, from the list of recipients. If another delivery came first, the answer is a `conflict`.",
          ),
      }),
    )
    .min(1)
    .max(1_000),
});

/** The state of a connection's credential on one agent. */
export const agentCredentialSchema = z.object({
  agentId: z.string(),
  status: credentialStatusSchema,
  /** 0 before the first delivery through the service. */
  version: z.int(),
  /** Why it failed, or what to do. */
  error: z.string().nullable(),
  updatedAt: z.iso.datetime().nullable(),
  target: credentialTargetSchema
    .nullable()
    .optional()
    .describe(
      "The target of the agent's credential, if it differs from the connection's target; null if that target is unknown or missing. Absent if the two are the same.",
    ),
});
export type AgentCredential = z.infer<typeof agentCredentialSchema>;
