import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { CredentialSummary } from "../vault/entries.ts";
import type { LostCredentials } from "../vault/lost.ts";
import type { CredentialContent } from "../vault/resolve-target.ts";

/** The vault of this machine, through the running agent or opened directly. Methods throw CommandRefused. */
export interface VaultAccess {
  /** Whether a running agent answers, or the vault was opened directly; `place` is its address or path. */
  by: "agent" | "vault";
  place: string;
  list(): Promise<VaultListing>;
  put(connectionId: string, content: CredentialContent): Promise<StoredCredential>;
  /** How this host resolves a target for that credential (`Binding`); null without a credential. Changes nothing. */
  resolve(connectionId: string, target: CredentialTarget): Promise<JsonObject[] | null>;
  /** Null when there is no such credential. Refuses when the target no longer resolves to `resolved` on this host. */
  bind(connectionId: string, target: CredentialTarget, resolved: JsonObject[]): Promise<CredentialSummary | null>;
  /** False when there was none. */
  remove(connectionId: string): Promise<boolean>;
  close(): void;
}

export interface StoredCredential extends CredentialSummary {
  /** False when it replaced another. */
  isNew: boolean;
  /** The names of the replaced credential, as far as they are known. */
  namesBefore?: string[] | undefined;
}

export interface VaultListing {
  fingerprint: string;
  credentials: CredentialSummary[];
  lost: LostCredentials | null;
}
