import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { Secrets } from "../../schema/contract/credential.ts";
import { notedAdminUrl } from "../admin/address.ts";
import { readToken } from "../admin/token.ts";
import { hasCode } from "../atomic-file.ts";
import type { LocalConfig } from "../config.ts";
import { EXIT, StartRefused } from "../exit-codes.ts";
import { acquireLock } from "../journal/process-lock.ts";
import { statePaths } from "../paths.ts";
import type { StatePaths } from "../paths.ts";
import type { CredentialSummary } from "../vault/entries.ts";
import type { LostCredentials } from "../vault.ts";
import { createAdminClient } from "./admin-client.ts";
import { openOwnVault } from "./own-vault.ts";
import { CommandRefused } from "./refused.ts";

/** The vault of this machine, by the agent that runs or by itself. Methods throw CommandRefused. */
export interface VaultAccess {
  /** For a sentence: "the running agent" or "the vault <path>". */
  by: "agent" | "vault";
  place: string;
  list(): Promise<VaultListing>;
  /** `isNew` is false where it replaced one. */
  put(connectionId: string, secrets: Secrets): Promise<CredentialSummary & { isNew: boolean }>;
  /** False when there was none. */
  remove(connectionId: string): Promise<boolean>;
  close(): void;
}

export interface VaultListing {
  fingerprint: string;
  credentials: CredentialSummary[];
  lost: LostCredentials | null;
}

/** An agent notes its address some milliseconds after it has the lock. */
const ADDRESS_WAIT_MS = 3_000;
const ADDRESS_LOOK_MS = 50;

/**
 * Who holds the lock decides: the admin token and the secrets go to the admin API only while an agent has this vault,
 * so that nobody can listen on its port in its place and be given them. Without one the vault is opened itself, which
 * needs the agent's key. Throws CommandRefused where neither can be.
 */
export async function openVaultAccess(config: LocalConfig): Promise<VaultAccess> {
  const paths = statePaths(config.vaultPath);
  const lock = lockState(paths);
  if (lock === "held") return askAgent(config, paths);
  if (lock === "free" && config.apiKey !== null) {
    refuseOthersVault(paths.vault);
    return openOwnVault(paths, config.apiKey);
  }
  // An agent of another user or with another vault: who names its token means it.
  if (config.adminToken !== null) return askAgent(config, paths);
  if (lock === "unknown") {
    throw new CommandRefused(
      EXIT.notAllowed,
      `this user may not look into ${dirname(paths.vault)}: run the command as the agent's user (sudo -u …), ` +
        "or set ADMIN_TOKEN and ADMIN_PORT to those of the agent",
    );
  }
  throw new CommandRefused(
    EXIT.unavailable,
    `no agent runs with the vault ${paths.vault}. Start it; or set AGENT_API_KEY, and the vault is opened without it; ` +
      "or set VAULT_PATH, if the agent uses another one",
  );
}

function lockState(paths: StatePaths): "held" | "free" | "unknown" {
  try {
    statSync(paths.lock);
    acquireLock(paths.lock, paths.journal).release();
    return "free";
  } catch (error) {
    if (error instanceof StartRefused) return error.exitCode === EXIT.inUse ? "held" : "unknown";
    return hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR") ? "free" : "unknown";
  }
}

async function askAgent(config: LocalConfig, paths: StatePaths): Promise<VaultAccess> {
  const url = (await agentUrl(paths)) ?? (config.adminPort === 0 ? null : `http://127.0.0.1:${config.adminPort}`);
  if (url === null) {
    throw new CommandRefused(
      EXIT.unavailable,
      "the agent's address is not known: set ADMIN_PORT to the port that its log names as adminApi",
    );
  }
  const token = config.adminToken ?? (await tokenOf(paths));
  if (token !== null) return createAdminClient({ url, token });
  throw new CommandRefused(
    EXIT.notAllowed,
    `the agent's admin token is not in ${paths.adminToken}, or this user may not read it: run the command as the agent's ` +
      "user (sudo -u …), or set ADMIN_TOKEN to the agent's",
  );
}

async function agentUrl(paths: StatePaths): Promise<string | null> {
  const deadline = performance.now() + (lockState(paths) === "held" ? ADDRESS_WAIT_MS : 0);
  for (;;) {
    const url = notedAdminUrl(paths.adminUrl);
    if (url !== null || performance.now() >= deadline) return url;
    await Bun.sleep(ADDRESS_LOOK_MS);
  }
}

async function tokenOf(paths: StatePaths): Promise<string | null> {
  return readToken(paths.adminToken).catch(() => null);
}

/** What root wrote, the agent could not read. */
function refuseOthersVault(path: string): void {
  const user = process.getuid?.();
  const owner = ownerOf(path) ?? ownerOf(dirname(path));
  if (user === undefined || owner === null || owner === user) return;
  throw new CommandRefused(
    EXIT.notAllowed,
    `${path} belongs to the user with id ${owner}: run the command as that one (sudo -u '#${owner}' …), or the agent could not read what it writes`,
  );
}

function ownerOf(path: string): number | null {
  try {
    return statSync(path).uid;
  } catch {
    return null;
  }
}
