import { copyFile } from "node:fs/promises";
import { z } from "zod";
import type { PublicKey } from "../schema/contract/agent.ts";
import { secretsSchema } from "../schema/contract/credential.ts";
import type { Secrets } from "../schema/contract/credential.ts";
import { VAULT_PBKDF2_ITERATIONS } from "../schema/limits.ts";
import { fileTime } from "./journal.ts";
import { describeError } from "./log.ts";
import type { Log } from "./log.ts";
import { deriveVaultKey, newKeyPair, newSalt, privateKeySchema, publicPartOf, seal, unseal } from "./vault/crypto.ts";
import type { PrivateKey } from "./vault/crypto.ts";
import { asidePath, identityOf, KDF, moveAside, readVaultFile, writeVaultFile } from "./vault/file.ts";
import type { StoredCredential, VaultFile } from "./vault/file.ts";

/** Holds a character that no connection's id has, so that no credential can stand in its place. */
const PRIVATE_KEY_NAME = "agent:private-key";

export interface VaultOptions {
  path: string;
  apiKey: string;
  log: Log;
  /** Epoch milliseconds. */
  now: () => number;
  /** The slow derivation waits for this: at the start of the process there are more urgent things. */
  mayDerive?: Promise<void>;
  /** Settles when the service has taken the key: a mistyped one must not cost the vault. */
  keyAccepted?: Promise<void>;
  /** Credentials came, went or changed, or the vault was opened; `isOpen` is false for the last time then. */
  onChange: () => void;
  /** The public key is another one than when the vault was opened: the service has to be told. */
  onNewKeyPair: () => void;
}

/** What one may see of a credential. */
export interface CredentialSummary {
  connectionId: string;
  version: number;
  updatedAt: string;
  names: string[];
}

/** A vault or a part of it that did not open. */
export interface LostCredentials {
  movedTo: string;
  connectionIds: string[];
}

interface Credential {
  stored: StoredCredential;
  secrets: Secrets;
}

/** What a stored credential hides. The version is inside, too: an old entry cannot pass for a newer one. */
const plaintextSchema = z.object({ version: z.int(), secrets: secretsSchema });

/** The agent's encrypted credentials (specification, "Vault rules"; design 6). */
export class Vault {
  /** Settles when the key is derived and the vault is open. Rejects where it cannot be written. */
  readonly ready: Promise<void>;
  lost: LostCredentials | null = null;
  readonly #options: VaultOptions;
  #header: Omit<VaultFile, "credentials" | "privateKey">;
  #privateKey: PrivateKey | null = null;
  #key: Buffer = Buffer.alloc(0);
  #credentials = new Map<string, Credential>();
  #seenFile: string | null = null;
  #isOpen = false;
  #busy: Promise<unknown>;

  /** Reads the plain header at once and derives the key beside everything else. Throws where it may not read. */
  constructor(options: VaultOptions) {
    this.#options = options;
    const read = readVaultFile(options.path);
    if (read.found === "vault") {
      if (read.looseMode) options.log.warning("the vault could be read by others: its mode is 0600 again");
      if (read.file.agentKeyPrefix === prefixOf(options.apiKey)) {
        this.#header = read.file;
        this.#busy = this.ready = this.#unlock(read.file);
        return;
      }
    }
    const fresh = newKeyPair();
    this.#header = newHeader(options.apiKey, fresh);
    this.#busy = this.ready = this.#replace(read, fresh);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get publicKey(): PublicKey {
    return this.#header.publicKey;
  }

  /** What sealed credentials are opened with; null until the vault is open. */
  get privateKey(): PrivateKey | null {
    return this.#privateKey;
  }

  secrets(connectionId: string): Secrets | null {
    return this.#credentials.get(connectionId)?.secrets ?? null;
  }

  allSecrets(): Secrets[] {
    return [...this.#credentials.values()].map(({ secrets }) => secrets);
  }

  list(): CredentialSummary[] {
    return [...this.#credentials.values()].map(({ stored, secrets }) => ({
      connectionId: stored.connectionId,
      version: stored.version,
      updatedAt: stored.updatedAt,
      names: Object.keys(secrets),
    }));
  }

  versions(): { connectionId: string; version: number }[] {
    return [...this.#credentials.values()].map(({ stored: { connectionId, version } }) => ({ connectionId, version }));
  }

  /** Puts a credential in or over the old one; without a version the entry keeps the one it has, and a new one has 0. */
  put(connectionId: string, secrets: Secrets, version?: number): Promise<CredentialSummary> {
    return this.#change((credentials) => {
      const stored: StoredCredential = {
        connectionId,
        version: version ?? credentials.get(connectionId)?.stored.version ?? 0,
        updatedAt: new Date(this.#options.now()).toISOString(),
        nonce: "",
        ciphertext: "",
      };
      Object.assign(stored, seal(this.#key, JSON.stringify({ version: stored.version, secrets }), connectionId));
      credentials.set(connectionId, { stored, secrets });
      return { connectionId, version: stored.version, updatedAt: stored.updatedAt, names: Object.keys(secrets) };
    });
  }

  /** False when there was none. */
  remove(connectionId: string): Promise<boolean> {
    return this.#change((credentials) => credentials.delete(connectionId));
  }

  /** Takes over what another process of this agent wrote into the file. Where it may not read, it keeps what it has. */
  refresh(): Promise<void> {
    return this.#inTurn(async () => {
      try {
        await this.#reread();
      } catch (error) {
        this.#options.log.warning("the vault file cannot be read again", { error: describeError(error) });
      }
    });
  }

  async #change<T>(change: (credentials: Map<string, Credential>) => T): Promise<T> {
    return this.#inTurn(async () => {
      await this.#reread();
      const credentials = new Map(this.#credentials);
      const result = change(credentials);
      await this.#write(credentials);
      this.#options.onChange();
      return result;
    });
  }

  async #reread(): Promise<void> {
    const seen = await identityOf(this.#options.path);
    if (seen === null || seen === this.#seenFile) return;
    this.#seenFile = seen;
    const read = readVaultFile(this.#options.path);
    if (read.found !== "vault" || read.file.salt !== this.#header.salt) {
      this.#options.log.warning("the vault file was replaced by one that this process did not open: start it again");
      return;
    }
    this.#credentials = this.#opened(read.file.credentials).credentials;
    this.#options.onChange();
  }

  async #unlock(file: VaultFile): Promise<void> {
    const { path, apiKey, onChange, onNewKeyPair } = this.#options;
    await this.#derive(file.salt);
    const privateKey = privateKeySchema.safeParse(parseJson(unseal(this.#key, file.privateKey, PRIVATE_KEY_NAME)));
    if (!privateKey.success || !isSameKey(privateKey.data, file.publicKey)) {
      await this.#options.keyAccepted;
      this.#noteLost(idsIn(file), "does not open with this agent key");
      const fresh = newKeyPair();
      this.#header = newHeader(apiKey, fresh);
      await this.#fill(fresh);
      return onNewKeyPair();
    }
    this.#privateKey = privateKey.data;
    this.#seenFile = await identityOf(path);
    const { credentials, unreadable } = this.#opened(file.credentials);
    this.#credentials = credentials;
    if (unreadable.length > 0) {
      const movedTo = asidePath(path, fileTime(this.#options.now()));
      await copyFile(path, movedTo);
      this.#tellLost({ movedTo, connectionIds: unreadable }, "holds credentials that do not open");
      await this.#write(credentials);
    }
    onChange();
    this.#isOpen = true;
  }

  /** Moves aside what this key does not open, and starts anew. */
  async #replace(read: ReturnType<typeof readVaultFile>, privateKey: PrivateKey): Promise<void> {
    if (read.found !== "nothing") await this.#options.keyAccepted;
    if (read.found === "vault") this.#noteLost(idsIn(read.file), "belongs to another agent key");
    if (read.found === "unreadable") this.#noteLost(read.connectionIds, "cannot be read");
    await this.#fill(privateKey);
  }

  /** Starts an empty vault. */
  async #fill(privateKey: PrivateKey): Promise<void> {
    await this.#derive(this.#header.salt);
    this.#privateKey = privateKey;
    await this.#write(new Map());
    this.#options.onChange();
    this.#isOpen = true;
  }

  async #derive(salt: string): Promise<void> {
    await this.#options.mayDerive;
    this.#key = await deriveVaultKey(this.#options.apiKey, Buffer.from(salt, "base64"));
  }

  async #write(credentials: Map<string, Credential>): Promise<void> {
    const { path } = this.#options;
    await writeVaultFile(path, {
      ...this.#header,
      privateKey: seal(this.#key, JSON.stringify(this.#privateKey), PRIVATE_KEY_NAME),
      credentials: [...credentials.values()].map(({ stored }) => stored),
    });
    this.#seenFile = await identityOf(path);
    this.#credentials = credentials;
  }

  #opened(stored: readonly StoredCredential[]): { credentials: Map<string, Credential>; unreadable: string[] } {
    const credentials = new Map<string, Credential>();
    const unreadable: string[] = [];
    for (const entry of stored) {
      const plaintext = plaintextSchema.safeParse(parseJson(unseal(this.#key, entry, entry.connectionId)));
      if (plaintext.success && plaintext.data.version === entry.version) {
        credentials.set(entry.connectionId, { stored: entry, secrets: plaintext.data.secrets });
      } else {
        unreadable.push(entry.connectionId);
      }
    }
    return { credentials, unreadable };
  }

  #noteLost(connectionIds: string[], why: string): void {
    const { path, now } = this.#options;
    this.#tellLost({ movedTo: moveAside(path, fileTime(now())), connectionIds }, why);
  }

  #tellLost(lost: LostCredentials, why: string): void {
    this.lost = lost;
    this.#options.log.error(
      `the vault ${why} and was moved aside: deliver the credentials of the connections named here again`,
      { movedTo: lost.movedTo, connections: lost.connectionIds },
    );
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#busy.then(work, work);
    this.#busy = done.catch(() => undefined);
    return done;
  }
}

function newHeader(apiKey: string, privateKey: PrivateKey): Omit<VaultFile, "credentials" | "privateKey"> {
  return {
    version: 1,
    kdf: KDF,
    iterations: VAULT_PBKDF2_ITERATIONS,
    salt: newSalt().toString("base64"),
    agentKeyPrefix: prefixOf(apiKey),
    publicKey: publicPartOf(privateKey),
  };
}

function prefixOf(apiKey: string): string {
  return apiKey.slice(0, apiKey.indexOf("_"));
}

function idsIn(file: VaultFile): string[] {
  return file.credentials.map(({ connectionId }) => connectionId);
}

function isSameKey(one: PublicKey, other: PublicKey): boolean {
  return one.x === other.x && one.y === other.y;
}

function parseJson(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
