import { chmodSync, readFileSync, renameSync, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { z } from "zod";
import { publicKeySchema } from "../../schema/contract/agent.ts";
import { opaqueIdSchema } from "../../schema/contract/ids.ts";
import { VAULT_PBKDF2_ITERATIONS, VAULT_SALT_BYTES } from "../../schema/limits.ts";
import { hasCode, replaceFile } from "../atomic-file.ts";

export const KDF = "PBKDF2-HMAC-SHA256";
const FILE_VERSION = 1;
const PRIVATE_MODE = 0o600;

const base64Schema = z.base64();
const sealedSchema = z.object({ nonce: base64Schema, ciphertext: base64Schema });

const storedCredentialSchema = sealedSchema.extend({
  connectionId: opaqueIdSchema,
  version: z.int().min(0),
  updatedAt: z.iso.datetime(),
});
export type StoredCredential = z.infer<typeof storedCredentialSchema>;

/**
 * The vault on disk: JSON with an unencrypted header, so that registering does not wait for the key
 * (docs/design/credentials.md#vault).
 */
export const vaultFileSchema = z.object({
  version: z.literal(FILE_VERSION),
  kdf: z.literal(KDF),
  iterations: z.literal(VAULT_PBKDF2_ITERATIONS),
  salt: base64Schema.refine((salt) => Buffer.from(salt, "base64").length === VAULT_SALT_BYTES),
  agentKeyPrefix: z.string(),
  publicKey: publicKeySchema,
  privateKey: sealedSchema,
  credentials: z.array(storedCredentialSchema),
  /** Withdrawn versions (`Contents.withdrawn`); absent when there are none. */
  withdrawn: z.array(z.object({ connectionId: opaqueIdSchema, version: z.int().min(0) })).optional(),
});
export type VaultFile = z.infer<typeof vaultFileSchema>;

export type ReadVault =
  | { found: "nothing" }
  | { found: "vault"; file: VaultFile; looseMode: boolean }
  /** No valid vault, with the connections that it seems to name. */
  | { found: "unreadable"; connectionIds: string[] };

/** Throws when the file exists and this user may not read it. */
export function readVaultFile(path: string): ReadVault {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return { found: "nothing" };
    throw error;
  }
  const looseMode = tightenMode(path);
  const json = parseJson(text);
  const file = vaultFileSchema.safeParse(json);
  if (file.success) return { found: "vault", file: file.data, looseMode };
  return { found: "unreadable", connectionIds: namesIn(json) };
}

export async function writeVaultFile(path: string, file: VaultFile): Promise<void> {
  await replaceFile(path, async (handle) => {
    await handle.writeFile(`${JSON.stringify(file, null, 2)}\n`);
  });
}

/** A text that changes with the file; null when there is no file. */
export async function identityOf(path: string): Promise<string | null> {
  try {
    const { ino, mtimeMs, size } = await stat(path);
    return `${ino}:${mtimeMs}:${size}`;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** Renames the file to `<vault file>.unreadable-<time>` (docs/design/credentials.md#vault). Returns the new path. */
export function moveAside(path: string, time: string): string {
  const aside = asidePath(path, time);
  renameSync(path, aside);
  return aside;
}

export function asidePath(path: string, time: string): string {
  return `${path}.unreadable-${time}`;
}

function tightenMode(path: string): boolean {
  if (process.platform === "win32" || (statSync(path).mode & 0o077) === 0) return false;
  chmodSync(path, PRIVATE_MODE);
  return true;
}

const namedSchema = z.object({ credentials: z.array(z.unknown()) });

function namesIn(json: unknown): string[] {
  const named = namedSchema.safeParse(json);
  if (!named.success) return [];
  return named.data.credentials.flatMap((entry) => {
    const credential = z.object({ connectionId: opaqueIdSchema }).safeParse(entry);
    return credential.success ? [credential.data.connectionId] : [];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
