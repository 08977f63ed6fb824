import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { Log } from "../../agent/log.ts";
import { Vault } from "../../agent/vault/index.ts";
import { resolverFor } from "../support/bound-credential.ts";
import { FAKE_AGENT_KEY } from "../support/fake-service.ts";

/** The vault file as documented, read without the agent's own code. */
export const fileSchema = z.strictObject({
  version: z.literal(1),
  kdf: z.literal("PBKDF2-HMAC-SHA256"),
  iterations: z.number(),
  salt: z.string(),
  agentKeyPrefix: z.string(),
  publicKey: z.strictObject({ kty: z.literal("EC"), crv: z.literal("P-256"), x: z.string(), y: z.string() }),
  privateKey: z.strictObject({ nonce: z.string(), ciphertext: z.string() }),
  credentials: z.array(
    z.strictObject({
      connectionId: z.string(),
      version: z.number(),
      updatedAt: z.string(),
      nonce: z.string(),
      ciphertext: z.string(),
    }),
  ),
  withdrawn: z.array(z.strictObject({ connectionId: z.string(), version: z.number() })).optional(),
});
export type VaultOnDisk = z.infer<typeof fileSchema>;

/** A directory for one vault, with the log of the vaults opened there. */
export class VaultHome {
  readonly directory: string;
  readonly path: string;
  readonly log: string[] = [];
  changes = 0;
  newKeyPairs = 0;

  private constructor(directory: string) {
    this.directory = directory;
    this.path = join(directory, "vault.json");
  }

  static async make(): Promise<VaultHome> {
    return new VaultHome(await mkdtemp(join(tmpdir(), "bellhop-vault-")));
  }

  /** A vault whose key may not be derived yet. */
  opening(apiKey = FAKE_AGENT_KEY, keyAccepted = Promise.resolve()): Vault {
    const at =
      (level: string) =>
      (message: string, fields: object = {}) =>
        void this.log.push(`${level} ${message} ${JSON.stringify(fields)}`);
    const log: Log = { debug: at("DEBUG"), info: at("INFO"), warning: at("WARNING"), error: at("ERROR") };
    return new Vault({
      path: this.path,
      apiKey,
      log,
      keyAccepted,
      now: () => Date.parse("2026-11-21T10:00:00.000Z"),
      onChange: () => {
        this.changes++;
      },
      onNewKeyPair: () => {
        this.newKeyPairs++;
      },
      resolveTarget: resolverFor(),
    });
  }

  async open(apiKey = FAKE_AGENT_KEY): Promise<Vault> {
    const vault = this.opening(apiKey);
    await vault.ready;
    return vault;
  }

  async text(): Promise<string> {
    return await readFile(this.path, "utf8");
  }

  async onDisk(): Promise<VaultOnDisk> {
    return fileSchema.parse(JSON.parse(await this.text()));
  }

  /** The names of the vaults that the agent moved aside. */
  async asides(): Promise<string[]> {
    return (await readdir(this.directory)).filter((name) => name.startsWith("vault.json.unreadable-"));
  }

  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}
