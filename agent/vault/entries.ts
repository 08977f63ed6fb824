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
  /** By entry of the target: what of it only this agent knows, such as the server that a kubeconfig names. */
  resolved: JsonObject[];
}

/** A credential as it lies in the file, with what it hides. */
export interface Credential {
  stored: StoredCredential;
  secrets: Secrets;
  /** Null: it is not used. */
  bound: Binding | null;
}

/** What one may see of a credential. */
export interface CredentialSummary {
  connectionId: string;
  version: number;
  updatedAt: string;
  names: string[];
  /** This or `unbound`. */
  target?: CredentialTarget;
  /** Only where something was resolved. */
  resolved?: JsonObject[];
  unbound?: true;
  /** The target that a job asked for in vain, since the credential was bound. */
  wanted?: CredentialTarget;
}

/** As heartbeats report it. */
export interface CredentialReport {
  connectionId: string;
  version: number;
  /** SHA-256 of the canonical text of its target, base64url; null where it is bound to none. */
  target: string | null;
  /** When it was last delivered, set or bound. */
  changedAt: string;
}

/** What the vault holds of its connections. Copied before a change, so that a failed write changes nothing. */
export interface Contents {
  credentials: Map<string, Credential>;
  /** Versions that the service took away: one that is no newer does not come back, however late it arrives. */
  withdrawn: Map<string, number>;
}

/** What a stored credential hides. The version is inside, too: an old entry cannot pass for a newer one. */
const plaintextSchema = z.object({
  version: z.int(),
  secrets: secretsSchema,
  /** Both are absent from a credential that is bound to nothing, as all were that an older agent stored. */
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

/** The connections whose credentials are bound to no target. No job can use these. */
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
