import { createCipheriv, createDecipheriv, createHash, generateKeyPairSync, pbkdf2, randomBytes } from "node:crypto";
import { publicKeySchema } from "../../schema/contract/agent.ts";
import type { PublicKey } from "../../schema/contract/agent.ts";
import { VAULT_NONCE_BYTES, VAULT_PBKDF2_ITERATIONS, VAULT_SALT_BYTES } from "../../schema/limits.ts";
import { z } from "zod";

const KEY_BYTES = 32;
const TAG_BYTES = 16;

/** Both in base64. The last 16 bytes of the ciphertext are the authentication tag. */
export interface Sealed {
  nonce: string;
  ciphertext: string;
}

export const privateKeySchema = publicKeySchema.extend({ d: z.string().regex(/^[A-Za-z0-9_-]{43}$/u) });
export type PrivateKey = z.infer<typeof privateKeySchema>;

export function newSalt(): Buffer {
  return randomBytes(VAULT_SALT_BYTES);
}

/** PBKDF2-HMAC-SHA256 over the agent API key (docs/design/credentials.md#vault): about 60 ms, off the main thread. */
export function deriveVaultKey(apiKey: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    pbkdf2(apiKey, salt, VAULT_PBKDF2_ITERATIONS, KEY_BYTES, "sha256", (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}

/** AES-256-GCM with a fresh nonce. `associated` (the connection's id) keeps entries from being swapped. */
export function seal(key: Buffer, plaintext: string, associated: string): Sealed {
  const nonce = randomBytes(VAULT_NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(Buffer.from(associated));
  const ciphertext = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return { nonce: nonce.toString("base64"), ciphertext: ciphertext.toString("base64") };
}

/** Null when the key, the associated text or any bit differs. */
export function unseal(key: Buffer, sealed: Sealed, associated: string): string | null {
  const nonce = Buffer.from(sealed.nonce, "base64");
  const bytes = Buffer.from(sealed.ciphertext, "base64");
  if (nonce.length !== VAULT_NONCE_BYTES || bytes.length < TAG_BYTES) return null;
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(associated));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}

/** The key pair that credentials are sealed to (docs/design/credentials.md#sealing). */
export function newKeyPair(): PrivateKey {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKeySchema.parse(privateKey.export({ format: "jwk" }));
}

export function publicPartOf({ kty, crv, x, y }: PublicKey): PublicKey {
  return { kty, crv, x, y };
}

/** The thumbprint of RFC 7638, which people compare. */
export function fingerprintOf({ kty, crv, x, y }: PublicKey): string {
  return createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
}
