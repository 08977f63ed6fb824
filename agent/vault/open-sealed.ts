import { z } from "zod";
import { publicKeySchema } from "../../schema/contract/agent.ts";
import { SEALED_MAX_CHARS, sealedPlaintextSchema } from "../../schema/contract/credential.ts";
import type { Failure } from "../../schema/contract/problem.ts";
import { fingerprintOf } from "./crypto.ts";
import type { PrivateKey } from "./crypto.ts";
import { parseJson } from "./header.ts";

const BASE64URL = /^[A-Za-z0-9_-]*$/u;

/**
 * The only accepted kind of JWE (docs/design/credentials.md#sealing). Header fields that change its meaning, such as
 * `zip` and `crit`, are refused.
 */
const headerSchema = z.object({
  alg: z.literal("ECDH-ES"),
  enc: z.literal("A256GCM"),
  epk: publicKeySchema,
  zip: z.undefined().optional(),
  crit: z.undefined().optional(),
});

export type SealedPlaintext = z.infer<typeof sealedPlaintextSchema>;
export type Opened = { ok: true; plaintext: SealedPlaintext } | { ok: false; error: Failure };

/**
 * Opens a sealed credential: a compact JWE (RFC 7516) with ECDH-ES and A256GCM. Codes: `invalid_params` (not such a
 * JWE), `credential_unreadable` (sealed to another key, or changed in transit), `credential_invalid` (the content is no
 * credential). Errors contain no value, and no error of a library, which could quote one.
 */
export async function openSealed(jwe: string, privateKey: PrivateKey): Promise<Opened> {
  const problem = problemWithForm(jwe);
  if (problem !== null)
    return failed("invalid_params", `The sealed credential cannot be used: ${problem}. Deliver it again.`);
  // Loaded with the first delivery, so that the start of the agent does not wait for it.
  const { compactDecrypt } = await import("jose");
  let plaintext: string;
  try {
    const opened = await compactDecrypt(jwe, privateKey, {
      keyManagementAlgorithms: ["ECDH-ES"],
      contentEncryptionAlgorithms: ["A256GCM"],
    });
    plaintext = new TextDecoder("utf-8", { fatal: true }).decode(opened.plaintext);
  } catch {
    return failed(
      "credential_unreadable",
      "The credential was sealed for another key than this agent has now, or was changed on its way: deliver " +
        `it again, and compare the fingerprint, which is ${fingerprintOf(privateKey)} here.`,
    );
  }
  const parsed = sealedPlaintextSchema.safeParse(parseJson(plaintext));
  if (parsed.success) return { ok: true, plaintext: parsed.data };
  return failed(
    "credential_invalid",
    "The sealed content is not a credential: it must be JSON with agentId, connectionId, version and secrets (1 to " +
      "100 names with a text each). Deliver it again.",
  );
}

function problemWithForm(jwe: string): string | null {
  if (jwe.length > SEALED_MAX_CHARS) return `it has more than ${SEALED_MAX_CHARS} characters`;
  const parts = jwe.split(".");
  const [header = "", encryptedKey] = parts;
  if (parts.length !== 5 || !parts.every((part) => BASE64URL.test(part))) return "it is not a compact JWE";
  // Direct key agreement has no encrypted key.
  if (encryptedKey !== "") return "it has an encrypted key, but ECDH-ES uses none";
  const parsed = headerSchema.safeParse(parseJson(Buffer.from(header, "base64url").toString("utf8")));
  if (parsed.success) return null;
  const name = parsed.error.issues[0]?.path[0] ?? "alg";
  return `its header has a wrong ${String(name)}: alg must be ECDH-ES, enc A256GCM, epk a P-256 key; zip and crit are not allowed`;
}

function failed(code: string, message: string): Opened {
  return { ok: false, error: { code, message } };
}
