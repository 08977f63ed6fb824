import { homedir, hostname } from "node:os";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import type { Secrets } from "../../schema/contract/credential.ts";
import { TOO_SHORT_TO_MASK, tooShortToMask } from "../../schema/contract/masking.ts";
import { problemWithSecretsFor } from "../../schema/contract/secret-shapes.ts";
import { withEnvFile } from "../commands/env-file-option.ts";
import { withKeyOfFile } from "../commands/environment.ts";
import { readLocalConfig } from "../config.ts";
import type { Environment, LocalConfig } from "../config.ts";
import { EXIT, StartRefused } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { loadExecutor } from "../executors/index.ts";
import { describeError } from "../log.ts";
import { fingerprintOf } from "../vault/crypto.ts";
import { readVaultFile } from "../vault/file.ts";
import { printable } from "../vault/target-text.ts";
import { parseCredentialsCommand } from "./arguments.ts";
import type { CredentialsCommand } from "./arguments.ts";
import { bindCredential, noCredential, targetForSet } from "./bind.ts";
import type { Person, WithVault } from "./bind.ts";
import { describeListing, describeRemoved, describeStored } from "./describe.ts";
import { CREDENTIALS_HELP } from "./help.ts";
import { readCapped, readSecrets } from "./read-secrets.ts";
import type { SecretSources } from "./read-secrets.ts";
import { CommandRefused } from "./refused.ts";
import { askTerminal } from "./terminal.ts";
import { noVaultYet, openVaultAccess } from "./open-vault-access.ts";
import type { VaultAccess } from "./vault-access.ts";

/** `bellhop-agent credentials …`; returns the exit code. Only answers go to standard output. */
export function credentialsCommand(args: readonly string[]): Promise<ExitCode> {
  return orRefused(async () => {
    const { words, env } = withEnvFile(args);
    const command = parseCredentialsCommand(words);
    if (command.verb === "help") return CREDENTIALS_HELP;
    const config = localConfig(withKeyOfFile(env));
    const openVault: WithVault = (work) => withVault(config, { mayMake: command.verb === "set" }, work);
    if (command.verb === "bind") return bindCredential(command, openVault, person());
    if (command.verb !== "set") return openVault((vault) => answer(command, vault));
    // Read before the vault is opened, so that its lock is never held while a person types.
    const secrets = await readSecrets(command, person());
    await requireUsable(secrets, command.type);
    warnOfShort(secrets);
    const target = await targetForSet(command, openVault, person());
    requireFit(secrets, target ?? []);
    return openVault(async (vault) =>
      describeStored(await vault.put(command.connectionId, { secrets, target }), vault),
    );
  });
}

/** `bellhop-agent fingerprint` reads the unencrypted header of the vault, so it needs neither the agent nor its key. */
export function fingerprintCommand(args: readonly string[]): Promise<ExitCode> {
  return orRefused(async () => {
    const { words, env } = withEnvFile(args);
    if (words.length > 0) throw new CommandRefused(EXIT.usage, "fingerprint takes --env-file <path>, and nothing else");
    const { vaultPath } = localConfig(env);
    const read = readVaultFile(vaultPath);
    if (read.found === "vault") return `${fingerprintOf(read.file.publicKey)}\n`;
    if (read.found === "nothing") throw noVaultYet(vaultPath);
    throw new CommandRefused(
      EXIT.failed,
      `${vaultPath} cannot be read as a vault: start the agent, which moves it aside and makes a new one`,
    );
  });
}

async function answer(
  command: Extract<CredentialsCommand, { verb: "list" | "delete" }>,
  vault: VaultAccess,
): Promise<string> {
  if (command.verb === "list") {
    const listing = await vault.list();
    return command.json ? `${JSON.stringify(listing, null, 2)}\n` : describeListing(listing, vault);
  }
  if (await vault.remove(command.connectionId)) return describeRemoved(command.connectionId, vault);
  throw noCredential(command.connectionId);
}

/** Applies to the running agent, and to a vault opened without one. */
function requireFit(secrets: Secrets, target: CredentialTarget): void {
  const problem = problemWithSecretsFor(target, secrets, { showNames: true });
  if (problem !== null) throw new CommandRefused(EXIT.badInput, problem);
}

/** An unusable key must not replace a usable one. The vault checks again when it knows the target. */
async function requireUsable(secrets: Secrets, type: ConnectionType | null): Promise<void> {
  const executor = type === null ? null : await loadExecutor(type);
  const problem = executor?.problemWithSecrets?.(secrets) ?? null;
  if (problem !== null) throw new CommandRefused(EXIT.badInput, `${problem}. Nothing was changed`);
}

async function withVault<T>(
  config: LocalConfig,
  options: { mayMake: boolean },
  work: (vault: VaultAccess) => Promise<T>,
): Promise<T> {
  const vault = await openVaultAccess(config, options);
  try {
    return await work(vault);
  } finally {
    vault.close();
  }
}

function warnOfShort(secrets: Secrets): void {
  for (const name of tooShortToMask(secrets)) {
    process.stderr.write(`bellhop-agent: warning: ${printable(name)} ${TOO_SHORT_TO_MASK}\n`);
  }
}

function localConfig(env: Environment): LocalConfig {
  const read = readLocalConfig(env, {
    hostName: hostname(),
    platform: process.platform,
    homeDirectory: homedir(),
    workingDirectory: process.cwd(),
  });
  if (read.ok) return read.config;
  throw new CommandRefused(EXIT.config, ["the configuration is wrong:", ...read.problems].join("\n  "));
}

function person(): SecretSources & Person {
  return {
    isInteractive: process.stdin.isTTY,
    ask: askTerminal,
    show: (text) => void process.stderr.write(text),
    readInput: () => readCapped(Bun.stdin.stream()),
  };
}

async function orRefused(work: () => Promise<string>): Promise<ExitCode> {
  try {
    process.stdout.write(await work());
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CommandRefused || error instanceof StartRefused) {
      process.stderr.write(`bellhop-agent: ${error.message}\n`);
      return error.exitCode;
    }
    process.stderr.write(`bellhop-agent: stopped by an unexpected error: ${describeError(error)}\n`);
    return EXIT.failed;
  }
}
