import { z } from "zod";
import { secretsSchema } from "../../schema/contract/credential.ts";
import type { Secrets } from "../../schema/contract/credential.ts";
import { seal, unseal } from "./crypto.ts";
import type { StoredCredential, VaultFile } from "./file.ts";
import { parseJson } from "./header.ts";

/** A credential as it lies in the file, with what it hides. */
export interface Credential {
  stored: StoredCredential;
  secrets: Secrets;
}

/** What one may see of a credential. */
export interface CredentialSummary {
  connectionId: string;
  version: number;
  updatedAt: string;
  names: string[];
}

/** What the vault holds of its connections. Copied before a change, so that a failed write changes nothing. */
export interface Contents {
  credentials: Map<string, Credential>;
  /** Versions that the service took away: one that is no newer does not come back, however late it arrives. */
  withdrawn: Map<string, number>;
}

/** What a stored credential hides. The version is inside, too: an old entry cannot pass for a newer one. */
const plaintextSchema = z.object({ version: z.int(), secrets: secretsSchema });

export function sealCredential(
  key: Buffer,
  { connectionId, version, secrets, updatedAt }: Omit<StoredCredential, "nonce" | "ciphertext"> & { secrets: Secrets },
): Credential {
  const sealed = seal(key, JSON.stringify({ version, secrets }), connectionId);
  return { stored: { connectionId, version, updatedAt, ...sealed }, secrets };
}

/** Opens what opens, and names the connections of the others. */
export function openCredentials(
  key: Buffer,
  stored: readonly StoredCredential[],
): { credentials: Map<string, Credential>; unreadable: string[] } {
  const credentials = new Map<string, Credential>();
  const unreadable: string[] = [];
  for (const entry of stored) {
    const plaintext = plaintextSchema.safeParse(parseJson(unseal(key, entry, entry.connectionId)));
    if (plaintext.success && plaintext.data.version === entry.version) {
      credentials.set(entry.connectionId, { stored: entry, secrets: plaintext.data.secrets });
    } else {
      unreadable.push(entry.connectionId);
    }
  }
  return { credentials, unreadable };
}

export function summaryOf({ stored, secrets }: Credential): CredentialSummary {
  const { connectionId, version, updatedAt } = stored;
  return { connectionId, version, updatedAt, names: Object.keys(secrets) };
}

export function noContents(): Contents {
  return { credentials: new Map(), withdrawn: new Map() };
}

export function copyOf({ credentials, withdrawn }: Contents): Contents {
  return { credentials: new Map(credentials), withdrawn: new Map(withdrawn) };
}

export function withdrawnIn(file: VaultFile): Contents["withdrawn"] {
  return new Map(file.withdrawn?.map(({ connectionId, version }) => [connectionId, version]));
}
