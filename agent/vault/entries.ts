import { createHash } from "node:crypto";
import { z } from "zod";
import { canonicalTarget, credentialTargetSchema } from "../../schema/contract/credential-target.ts";
import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import { secretsSchema } from "../../schema/contract/credential.ts";
import type { Secrets } from "../../schema/contract/credential.ts";
import { jsonObjectSchema } from "../../schema/contract/json.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { seal, unseal } from "./crypto.ts";
import type { StoredCredential, VaultFile } from "./file.ts";
import { parseJson } from "./header.ts";

/** Where a credential may be used (docs/design/credentials.md#targets). */
export interface Binding {
  target: CredentialTarget;
  /** For each entry of the target the facts that only this agent knows, such as the server in a kubeconfig. */
  resolved: JsonObject[];
}

/** A credential as stored, and its content. */
export interface Credential {
  stored: StoredCredential;
  secrets: Secrets;
  /** Null: unbound, and therefore not used. */
  bound: Binding | null;
}

/** The public part of a credential. */
export interface CredentialSummary {
  connectionId: string;
  version: number;
  updatedAt: string;
  names: string[];
  /** Absent when the credential is `unbound`. */
  target?: CredentialTarget;
  /** Only when the agent has resolved something. */
  resolved?: JsonObject[];
  unbound?: true;
  /** The target for which a job was last refused the credential, since it was bound. */
  wanted?: CredentialTarget;
}

/** The form in heartbeats. */
export interface CredentialReport {
  connectionId: string;
  version: number;
  /** SHA-256 of the canonical text of its target, base64url; null for an unbound credential. */
  target: string | null;
  /** When the credential was last delivered, set or bound. */
  changedAt: string;
}

/** The vault's content. Copied before a change, so that a failed write changes nothing. */
export interface Contents {
  credentials: Map<string, Credential>;
  /** Withdrawn versions. The same or an older version is refused, however late it arrives. */
  withdrawn: Map<string, number>;
}

/** The encrypted part of a credential. It includes the version, so that an old entry cannot pass for a newer one. */
const plaintextSchema = z.object({
  version: z.int(),
  secrets: secretsSchema,
  /** Both are absent from an unbound credential, as from any that an older agent stored. */
  target: credentialTargetSchema.optional(),
  resolved: z.array(jsonObjectSchema).optional(),
});

export type CredentialToSeal = Omit<StoredCredential, "nonce" | "ciphertext"> & Omit<Credential, "stored">;

export function sealCredential(
  key: Buffer,
  { connectionId, version, updatedAt, secrets, bound }: CredentialToSeal,
): Credential {
  const sealed = seal(key, JSON.stringify({ version, secrets, ...bound }), connectionId);
  return { stored: { connectionId, version, updatedAt, ...sealed }, secrets, bound };
}

/** Decrypts the readable credentials, and lists the connections of the others. */
export function openCredentials(
  key: Buffer,
  stored: readonly StoredCredential[],
): { credentials: Map<string, Credential>; unreadable: string[] } {
  const credentials = new Map<string, Credential>();
  const unreadable: string[] = [];
  for (const entry of stored) {
    const plaintext = plaintextSchema.safeParse(parseJson(unseal(key, entry, entry.connectionId)));
    if (plaintext.success && plaintext.data.version === entry.version) {
      const { secrets, target, resolved = [] } = plaintext.data;
      credentials.set(entry.connectionId, {
        stored: entry,
        secrets,
        bound: target === undefined ? null : { target, resolved },
      });
    } else {
      unreadable.push(entry.connectionId);
    }
  }
  return { credentials, unreadable };
}

/** The connections whose credentials are unbound. No job can use them. */
export function unboundIds(credentials: ReadonlyMap<string, Credential>): string[] {
  return [...credentials].flatMap(([connectionId, { bound }]) => (bound === null ? [connectionId] : []));
}

export function summaryOf({ stored, secrets, bound }: Credential): CredentialSummary {
  const { connectionId, version, updatedAt } = stored;
  const summary = { connectionId, version, updatedAt, names: Object.keys(secrets) };
  if (bound === null) return { ...summary, unbound: true };
  const { target, resolved } = bound;
  const hasResolved = resolved.some((fields) => Object.keys(fields).length > 0);
  return { ...summary, target, ...(hasResolved ? { resolved } : {}) };
}

export function reportOf({ stored: { connectionId, version, updatedAt }, bound }: Credential): CredentialReport {
  const digest = (target: CredentialTarget) => createHash("sha256").update(canonicalTarget(target)).digest("base64url");
  const target = bound === null ? null : digest(bound.target);
  return { connectionId, version, target, changedAt: updatedAt };
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
