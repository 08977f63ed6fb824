import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { CredentialSummary } from "../vault/entries.ts";
import type { LostCredentials } from "../vault/lost.ts";
import type { CredentialContent } from "../vault/resolve-target.ts";

/** The vault of this machine, by the agent that runs or by itself. Methods throw CommandRefused. */
export interface VaultAccess {
  /** For a sentence: "the running agent" or "the vault <path>". */
  by: "agent" | "vault";
  place: string;
  list(): Promise<VaultListing>;
  put(connectionId: string, content: CredentialContent): Promise<StoredCredential>;
  /** What this host makes of a target for that credential (`Binding`); null when there is none. Changes nothing. */
  resolve(connectionId: string, target: CredentialTarget): Promise<JsonObject[] | null>;
  /** Null when there is none. Refuses where `resolved` is not what this host makes of the target now. */
  bind(connectionId: string, target: CredentialTarget, resolved: JsonObject[]): Promise<CredentialSummary | null>;
  /** False when there was none. */
  remove(connectionId: string): Promise<boolean>;
  close(): void;
}

export interface StoredCredential extends CredentialSummary {
  /** False where it replaced one. */
  isNew: boolean;
  /** Those of the one that it replaced, as far as it is known. */
  namesBefore?: string[] | undefined;
}

export interface VaultListing {
  fingerprint: string;
  credentials: CredentialSummary[];
  lost: LostCredentials | null;
}
