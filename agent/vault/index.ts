import { copyFile } from "node:fs/promises";
import type { PublicKey } from "../../schema/contract/agent.ts";
import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import type { Secrets } from "../../schema/contract/credential.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { fileTime } from "../journal/index.ts";
import { describeError } from "../log.ts";
import { deriveVaultKey, newKeyPair, privateKeySchema, seal, unseal } from "./crypto.ts";
import type { PrivateKey } from "./crypto.ts";
import { copyOf, noContents, openCredentials, reportOf, sealCredential, summaryOf } from "./entries.ts";
import { withdrawnIn } from "./entries.ts";
import type { Contents, Credential, CredentialReport, CredentialSummary, CredentialToSeal } from "./entries.ts";
import { logLost, OTHER_KEY } from "./lost.ts";
import type { LostCredentials } from "./lost.ts";
import { Releases } from "./releases.ts";
import { bindingOf, requireFit, requireShown, TargetUnresolved } from "./resolve-target.ts";
import type { CredentialContent } from "./resolve-target.ts";
import type { VaultOptions } from "./options.ts";
import { noteWithdrawn, unlessDeliverable, unlessWithdrawable } from "./versions.ts";
import type { HeldCredential } from "./versions.ts";
import { asidePath, identityOf, moveAside, readVaultFile, writeVaultFile } from "./file.ts";
import type { VaultFile } from "./file.ts";
import { headerOf, idsIn, isSameKey, newHeader, parseJson, prefixOf } from "./header.ts";
import type { VaultHeader } from "./header.ts";

/** Has a character that no connection id has, so no credential can replace the private key. */
export const PRIVATE_KEY_NAME = "agent:private-key";

/** The agent's encrypted credentials (docs/design/credentials.md#vault). */
export class Vault {
  /** Resolves when the key is derived and the vault is open. Rejects when the vault cannot be written. */
  readonly ready: Promise<void>;
  readonly releases = new Releases((connectionId) => this.#contents.credentials.get(connectionId));
  lost: LostCredentials | null = null;
  readonly #options: VaultOptions;
  #header: VaultHeader;
  #privateKey: PrivateKey | null = null;
  #key: Buffer = Buffer.alloc(0);
  #contents = noContents();
  #seenFile: string | null = null;
  #isOpen = false;
  #busy: Promise<unknown>;

  /** Reads the unencrypted header immediately, and derives the key in the background. Throws when the read fails. */
  constructor(options: VaultOptions) {
    this.#options = options;
    const read = readVaultFile(options.path);
    if (read.found === "vault") {
      if (read.looseMode) options.log.warning("other users could read the vault: its mode is 0600 again");
      if (read.file.agentKeyPrefix === prefixOf(options.apiKey)) {
        this.#header = headerOf(read.file);
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

  /** Opens sealed credentials; null until the vault is open. */
  get privateKey(): PrivateKey | null {
    return this.#privateKey;
  }

  /** For masking only. Jobs get secrets from `releases`. */
  allSecrets(): Secrets[] {
    return [...this.#contents.credentials.values()].map(({ secrets }) => secrets);
  }

  list(): CredentialSummary[] {
    return [...this.#contents.credentials.values()].map((credential) => {
      const wanted = this.releases.wantedOf(credential.stored.connectionId);
      return { ...summaryOf(credential), ...(wanted === undefined ? {} : { wanted }) };
    });
  }

  versions(): CredentialReport[] {
    return [...this.#contents.credentials.values()].map(reportOf);
  }

  /**
   * Stores or replaces a credential. Without a target nothing uses it. Without a version the entry keeps its own (0 for
   * a new one), so that the next delivery is newer. Throws TargetUnresolved.
   */
  async put(connectionId: string, content: CredentialContent, version?: number): Promise<CredentialSummary> {
    const bound = await bindingOf(this.#options, connectionId, content);
    return this.#change((contents) => {
      const known = contents.credentials.get(connectionId)?.stored.version ?? 0;
      return summaryOf(this.#set(contents, { connectionId, version: version ?? known, ...content, bound }));
    });
  }

  /** How this host resolves a target, which the secrets must fit; null without secrets. Throws TargetUnresolved. */
  async resolve(connectionId: string, target: CredentialTarget): Promise<JsonObject[] | null> {
    const secrets = this.#contents.credentials.get(connectionId)?.secrets;
    if (secrets === undefined) return null;
    requireFit(target, secrets);
    return this.#options.resolveTarget(connectionId, target, secrets);
  }

  /** Binds a credential to another target, like `resolve`. With `shown`, only if the target still resolves to it. */
  async bind(connectionId: string, target: CredentialTarget, shown?: JsonObject[]): Promise<CredentialSummary | null> {
    const secrets = this.#contents.credentials.get(connectionId)?.secrets;
    const resolved = await this.resolve(connectionId, target);
    if (resolved === null) return null;
    if (shown !== undefined) requireShown(shown, resolved);
    return this.#change((contents) => {
      const held = contents.credentials.get(connectionId);
      // The result for other secrets may be wrong for those that arrived meanwhile.
      if (held === undefined || held.secrets !== secrets)
        throw new TargetUnresolved("The credential was replaced in the meantime. Try again.");
      return summaryOf(
        this.#set(contents, {
          connectionId,
          version: held.stored.version,
          secrets: held.secrets,
          bound: { target, resolved },
        }),
      );
    });
  }

  /** False when there was none. */
  remove(connectionId: string): Promise<boolean> {
    return this.#change(({ credentials }) => {
      this.releases.forget(connectionId);
      return credentials.delete(connectionId);
    });
  }

  /** Stores a delivered version (docs/design/credentials.md#versions). Returns what the vault then holds. */
  async deliver(connectionId: string, content: CredentialContent, version: number): Promise<HeldCredential> {
    const held = unlessDeliverable(this.#contents, connectionId, version);
    if (held !== null) return held;
    const former = this.#contents.credentials.get(connectionId)?.bound ?? null;
    const bound = await bindingOf(this.#options, connectionId, content, former);
    return this.#changeUnless(
      (contents) => unlessDeliverable(contents, connectionId, version),
      (contents) => {
        this.#set(contents, { connectionId, version, ...content, bound });
        contents.withdrawn.delete(connectionId);
        return { state: "present", version };
      },
    );
  }

  /** Removes this version or an older one, and refuses older ones from then on. Returns the same as `deliver`. */
  withdraw(connectionId: string, version: number): Promise<HeldCredential> {
    return this.#changeUnless(
      (contents) => unlessWithdrawable(contents, connectionId, version),
      ({ credentials, withdrawn }) => {
        credentials.delete(connectionId);
        this.releases.forget(connectionId);
        noteWithdrawn(withdrawn, connectionId, version);
        return { state: "absent", version };
      },
    );
  }

  /** Reads what another process of this agent wrote to the file. Keeps the present content if that fails. */
  refresh(): Promise<void> {
    return this.#inTurn(async () => {
      try {
        await this.#reread();
      } catch (error) {
        this.#options.log.warning("the vault file cannot be read again", { error: describeError(error) });
      }
    });
  }

  #change<T>(change: (contents: Contents) => T): Promise<T> {
    return this.#inTurn(async () => {
      await this.#reread();
      return this.#changeNow(change);
    });
  }

  /** Changes and writes nothing when `against` returns a result. */
  #changeUnless<T>(against: (contents: Contents) => T | null, change: (contents: Contents) => T): Promise<T> {
    return this.#inTurn(async () => {
      await this.#reread();
      return against(this.#contents) ?? this.#changeNow(change);
    });
  }

  async #changeNow<T>(change: (contents: Contents) => T): Promise<T> {
    const contents = copyOf(this.#contents);
    const result = change(contents);
    await this.#write(contents);
    this.#options.onChange();
    return result;
  }

  #set({ credentials }: Contents, content: Omit<CredentialToSeal, "updatedAt">): Credential {
    const updatedAt = new Date(this.#options.now()).toISOString();
    const credential = sealCredential(this.#key, { ...content, updatedAt });
    credentials.set(content.connectionId, credential);
    if (content.bound !== null) this.releases.forget(content.connectionId);
    return credential;
  }

  async #reread(): Promise<void> {
    const seen = await identityOf(this.#options.path);
    if (seen === null || seen === this.#seenFile) return;
    this.#seenFile = seen;
    const read = readVaultFile(this.#options.path);
    if (read.found !== "vault" || read.file.salt !== this.#header.salt) {
      this.#options.log.warning("another program replaced the vault file: restart the agent");
      return;
    }
    this.#contents = { ...openCredentials(this.#key, read.file.credentials), withdrawn: withdrawnIn(read.file) };
    this.#options.onChange();
  }

  async #unlock(file: VaultFile): Promise<void> {
    const { path, apiKey, log, onChange, onNewKeyPair } = this.#options;
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
    const { credentials, unreadable } = openCredentials(this.#key, file.credentials);
    this.#contents = { credentials, withdrawn: withdrawnIn(file) };
    if (unreadable.length > 0) {
      const movedTo = asidePath(path, fileTime(this.#options.now()));
      await copyFile(path, movedTo);
      this.lost = logLost(log, { movedTo, connectionIds: unreadable }, "holds credentials that do not open");
      await this.#write(this.#contents);
    }
    onChange();
    this.#isOpen = true;
  }

  /** Moves aside a vault that this key does not open, and starts an empty one. */
  async #replace(read: ReturnType<typeof readVaultFile>, privateKey: PrivateKey): Promise<void> {
    if (read.found !== "nothing") await this.#options.keyAccepted;
    if (read.found === "vault") this.#noteLost(idsIn(read.file), OTHER_KEY);
    if (read.found === "unreadable") this.#noteLost(read.connectionIds, "cannot be read");
    await this.#fill(privateKey);
  }

  /** Starts an empty vault. */
  async #fill(privateKey: PrivateKey): Promise<void> {
    await this.#derive(this.#header.salt);
    this.#privateKey = privateKey;
    await this.#write(noContents());
    this.#options.onChange();
    this.#isOpen = true;
  }

  async #derive(salt: string): Promise<void> {
    await this.#options.mayDerive;
    this.#key = await deriveVaultKey(this.#options.apiKey, Buffer.from(salt, "base64"));
  }

  async #write(contents: Contents): Promise<void> {
    const { path } = this.#options;
    const withdrawn = [...contents.withdrawn].map(([connectionId, version]) => ({ connectionId, version }));
    await writeVaultFile(path, {
      ...this.#header,
      privateKey: seal(this.#key, JSON.stringify(this.#privateKey), PRIVATE_KEY_NAME),
      credentials: [...contents.credentials.values()].map(({ stored }) => stored),
      ...(withdrawn.length === 0 ? {} : { withdrawn }),
    });
    this.#seenFile = await identityOf(path);
    this.#contents = contents;
  }

  #noteLost(connectionIds: string[], why: string): void {
    const { path, now, log } = this.#options;
    this.lost = logLost(log, { movedTo: moveAside(path, fileTime(now())), connectionIds }, why);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#busy.then(work, work);
    this.#busy = done.catch(() => undefined);
    return done;
  }
}
