import type { PublicKey } from "../../schema/contract/agent.ts";
import { VAULT_PBKDF2_ITERATIONS } from "../../schema/limits.ts";
import { newSalt, publicPartOf } from "./crypto.ts";
import type { PrivateKey } from "./crypto.ts";
import { KDF } from "./file.ts";
import type { VaultFile } from "./file.ts";

/** The part of the file that is readable without the agent's key (docs/design/credentials.md#vault). */
export type VaultHeader = Omit<VaultFile, "credentials" | "withdrawn" | "privateKey">;

export function newHeader(apiKey: string, privateKey: PrivateKey): VaultHeader {
  return {
    version: 1,
    kdf: KDF,
    iterations: VAULT_PBKDF2_ITERATIONS,
    salt: newSalt().toString("base64"),
    agentKeyPrefix: prefixOf(apiKey),
    publicKey: publicPartOf(privateKey),
  };
}

export function headerOf({ version, kdf, iterations, salt, agentKeyPrefix, publicKey }: VaultFile): VaultHeader {
  return { version, kdf, iterations, salt, agentKeyPrefix, publicKey };
}

export function prefixOf(apiKey: string): string {
  return apiKey.slice(0, apiKey.indexOf("_"));
}

export function idsIn(file: VaultFile): string[] {
  return file.credentials.map(({ connectionId }) => connectionId);
}

export function isSameKey(one: PublicKey, other: PublicKey): boolean {
  return one.x === other.x && one.y === other.y;
}

export function parseJson(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
