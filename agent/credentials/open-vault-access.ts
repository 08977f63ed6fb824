import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { notedAdminUrl } from "../admin/address.ts";
import { readToken } from "../admin/token.ts";
import { hasCode } from "../atomic-file.ts";
import type { LocalConfig } from "../config.ts";
import { EXIT } from "../exit-codes.ts";
import { isLocked } from "../journal/process-lock.ts";
import { statePaths } from "../paths.ts";
import type { StatePaths } from "../paths.ts";
import { openAdminClient } from "./admin-client.ts";
import { openOwnVault } from "./own-vault.ts";
import { CommandRefused } from "./refused.ts";
import type { VaultAccess } from "./vault-access.ts";

/** An agent records its address some milliseconds after it has the lock. */
const ADDRESS_WAIT_MS = 3_000;
const ADDRESS_LOOK_MS = 50;

/**
 * While an agent holds the lock, access goes through its admin API, which first has to prove that it has the admin
 * token. Otherwise the vault itself is opened, which needs the agent's key; `mayMake` creates a missing vault. Throws
 * CommandRefused when neither is possible.
 */
export async function openVaultAccess(config: LocalConfig, { mayMake }: { mayMake: boolean }): Promise<VaultAccess> {
  const paths = statePaths(config.vaultPath);
  const lock = lockState(paths);
  if (lock === "held") return askAgent(config, paths);
  if (lock === "free" && config.apiKey !== null) {
    refuseOthersVault(paths.vault);
    if (!mayMake && !existsSync(paths.vault)) throw noVaultYet(paths.vault);
    return openOwnVault(paths, { ...config, apiKey: config.apiKey });
  }
  if (lock === "unknown") {
    throw new CommandRefused(
      EXIT.notAllowed,
      `this user may not look into ${dirname(paths.vault)}: run the command as the agent's user (sudo -u …)`,
    );
  }
  throw new CommandRefused(
    EXIT.unavailable,
    `no agent runs with the vault ${paths.vault}. Start the agent; or set AGENT_API_KEY or AGENT_API_KEY_FILE, and this command opens the ` +
      "vault; or set VAULT_PATH if the agent uses another vault",
  );
}

/** Commands that only read create no vault. */
export function noVaultYet(path: string): CommandRefused {
  return new CommandRefused(
    EXIT.failed,
    `there is no vault at ${path} yet: start the agent once, or set VAULT_PATH to the agent's`,
  );
}

function lockState(paths: StatePaths): "held" | "free" | "unknown" {
  try {
    return isLocked(paths.lock) ? "held" : "free";
  } catch (error) {
    return hasCode(error, "ENOTDIR") ? "free" : "unknown";
  }
}

async function askAgent(config: LocalConfig, paths: StatePaths): Promise<VaultAccess> {
  const url = await agentUrl(paths);
  if (url === null) {
    throw new CommandRefused(
      EXIT.unavailable,
      `the vault ${paths.vault} is in use, but no agent of this user has noted its address in ${paths.adminUrl}: run the ` +
        "command as the agent's user (sudo -u …), or restart the agent",
    );
  }
  const token = config.adminToken ?? (await tokenOf(paths));
  if (token !== null) return openAdminClient({ url, token });
  throw new CommandRefused(
    EXIT.notAllowed,
    `the agent's admin token is not in ${paths.adminToken}, or this user may not read it: run the command as the agent's ` +
      "user (sudo -u …), or set ADMIN_TOKEN to the agent's",
  );
}

async function agentUrl(paths: StatePaths): Promise<string | null> {
  const deadline = performance.now() + ADDRESS_WAIT_MS;
  for (;;) {
    const url = notedAdminUrl(paths.adminUrl);
    if (url !== null || performance.now() >= deadline) return url;
    await Bun.sleep(ADDRESS_LOOK_MS);
  }
}

async function tokenOf(paths: StatePaths): Promise<string | null> {
  return readToken(paths.adminToken).catch(() => null);
}

/** The agent could not read files that root wrote. */
function refuseOthersVault(path: string): void {
  const user = process.getuid?.();
  const owner = ownerOf(path) ?? ownerOf(dirname(path));
  if (user === undefined || owner === null || owner === user) return;
  throw new CommandRefused(
    EXIT.notAllowed,
    `${path} belongs to the user with id ${owner}: run the command as that user (sudo -u '#${owner}' …), so that the agent can read the file afterwards`,
  );
}

function ownerOf(path: string): number | null {
  try {
    return statSync(path).uid;
  } catch {
    return null;
  }
}
